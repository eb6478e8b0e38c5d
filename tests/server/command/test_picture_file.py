"""Protects `backscope export --svg` and its like: what cannot be drawn or written is said, and leaves no file."""

from __future__ import annotations

import errno
import os

import pytest

from backscope import pictures
from backscope.pictures import drawing, raster
from backscope_server.command import cli


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder, with a recording that nothing has to draw."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.backscope").write_bytes(b"trace")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--svg", "-o", "run.backscope"], "is the trace itself"),
        (["--gif"], "--gif is a film of some steps: name them with --range, as --range 3-9."),
        (["--webm", "--range", "1-2", "--step", "1"], "use --range in place of --step"),
        (["--png", "--range", "1-2"], "--png is a picture of one step: use --step in place of --range."),
        (["-o", "run.png", "--range", "1-2"], "--png is a picture of one step"),
        (
            ["--png", "-o", "x.svg"],
            "--png does not go with x.svg: name a .png file with -o, or give --svg in its place.",
        ),
        (["--png", "-o", "x.html"], "--png does not go with x.html: name a .png file with -o, or leave out --png."),
        (["--gif", "-o", "x.jpg"], "--gif does not go with x.jpg: name a .gif file with -o."),
        (
            ["-o", "x.pdf"],
            "no format .pdf for x.pdf: name a file with -o that ends in .html, .svg, .png, .gif or .webm.",
        ),
    ],
)
def test_what_does_not_go_together_is_said(folder, capsys, arguments, reason):
    assert cli.main(["export", "run.backscope", *arguments]) == 1
    assert reason in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["run.backscope"]


@pytest.mark.parametrize("arguments", [["--gif", "--range", "3"], ["--png", "--width", "9"], ["--svg", "--png"]])
def test_a_value_that_is_none_is_a_usage_error(folder, capsys, arguments):
    with pytest.raises(SystemExit) as left:
        cli.main(["export", "run.backscope", *arguments])
    assert left.value.code == 2


def test_a_recording_that_is_not_there_is_said(folder, capsys):
    assert cli.main(["export", "absent.backscope", "--svg"]) == 1
    assert "cannot read absent.backscope: No such file or directory" in capsys.readouterr().err


def test_without_node_the_command_that_brings_one_is_named(folder, monkeypatch, capsys):
    monkeypatch.setattr(drawing, "find_node", lambda: None)
    assert cli.main(["export", "run.backscope", "--svg"]) == 1
    assert "pip install 'backscope[pictures]'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [["--png"], ["--gif", "--range", "1-2"], ["--webm", "--range", "1-2"]])
def test_without_the_extra_the_command_that_installs_it_is_named(folder, monkeypatch, capsys, kind):
    def absent(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(raster, "import_module", absent)
    assert cli.main(["export", "run.backscope", *kind]) == 1
    assert "pip install 'backscope[pictures]'" in capsys.readouterr().err


def test_a_full_disk_leaves_no_file(folder, monkeypatch, capsys):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pictures, "svg", lambda *_, **__: "<svg/>")
    monkeypatch.setattr(os, "fsync", full)
    assert cli.main(["export", "run.backscope", "--svg"]) == 1
    assert "cannot write run.svg: No space left on device" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["run.backscope"]


def test_the_picture_is_beside_the_trace_or_where_it_is_wanted(folder, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "svg", lambda *_, **__: "<svg/>")
    assert cli.main(["export", "run.backscope", "--svg"]) == 0
    assert "wrote run.svg, 6 bytes" in capsys.readouterr().err
    assert cli.main(["export", "run.backscope", "-o", "Other.SVG"]) == 0
    assert (folder / "Other.SVG").read_text() == "<svg/>"
    assert cli.main(["export", "run.backscope", "--svg", "-o", "drawing"]) == 0
    assert (folder / "drawing").read_text() == "<svg/>"
    assert cli.main(["export", "run.backscope", "--svg", "-o", "absent/run.svg"]) == 1
    assert "cannot write absent/run.svg: No such file or directory" in capsys.readouterr().err
