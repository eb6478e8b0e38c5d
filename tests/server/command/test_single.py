"""Protects the exported page: nothing of the program is markup in it, and a file that is no trace is refused."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest

from backscope.player import page_template
from backscope.program import runner
from backscope.protocol import trace
from backscope_server.command import cli, single

EMPTY = "<title>BACKSCOPE_TITLE</title><i nonce=BACKSCOPE_NONCE>BACKSCOPE_ABOUT|BACKSCOPE_RECORDING"
HOSTILE = "</title><script>1</script>\u2028\ud800 BACKSCOPE_ABOUT"


def test_nothing_that_is_put_in_is_markup_and_all_of_it_comes_back():
    text = single.fill(EMPTY, b"trace", name=HOSTILE, step=3)
    title, about, recorded = re.fullmatch(r"<title>(.*)</title><i nonce=[\w-]+>(.*)\|(.*)", text, re.DOTALL).groups()
    assert "<" not in title
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", about)
    read = json.loads(gzip.decompress(base64.b64decode(about)))
    assert read["name"] == HOSTILE
    assert read["fragment"] == "at=2"
    assert len(read["ops"]) > 400
    assert base64.b64decode(recorded) == b"trace"


def test_every_file_has_a_nonce_of_its_own():
    assert single.fill(EMPTY, b"", name="a") != single.fill(EMPTY, b"", name="a")


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Return a trace, with a small template for pages beside it."""
    monkeypatch.setattr(page_template, "single", lambda: EMPTY)
    path = tmp_path / "run.backscope"
    lines: list[bytes] = []
    program = "import torch\nw = torch.ones(1, requires_grad=True)\ny = w * 2\nz = y + 1\n"
    runner.run(program, lambda batch: lines.extend(batch.splitlines()))
    trace.write(path, lines)
    return path


def test_the_file_is_written_to_the_given_path(recorded, tmp_path, capsys):
    assert cli.main(["export", str(recorded)]) == 0
    assert cli.main(["export", str(recorded), "-o", str(tmp_path / "other.html"), "--name", HOSTILE]) == 0
    assert "wrote" in capsys.readouterr().err
    assert "<title>run – Backscope</title>" in (tmp_path / "run.html").read_text(encoding="utf-8")
    assert cli.main(["export", str(recorded), "--step", "3"]) == 0
    assert "<script>" not in (tmp_path / "other.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["notes.txt"], "notes.txt: "),
        (["absent.backscope"], "cannot read absent.backscope"),
        (["run.backscope", "-o", "absent/run.html"], "cannot write absent"),
        (["run.backscope", "-o", "run.backscope"], "is the trace itself"),
        (["run.backscope", "--step", "0"], "run.backscope: no step 0: there are 3 steps, from 1 on"),
        (["run.backscope", "--step=-1"], "run.backscope: no step -1: there are 3 steps, from 1 on"),
        (["run.backscope", "--step", "4"], "run.backscope: no step 4: there are 3 steps, from 1 on"),
    ],
)
def test_a_failed_export_says_why_and_leaves_no_file(recorded, monkeypatch, capsys, arguments, reason):
    monkeypatch.chdir(recorded.parent)
    (recorded.parent / "notes.txt").write_text("hello")
    before = recorded.read_bytes()
    assert cli.main(["export", *arguments]) == 1
    assert reason in capsys.readouterr().err
    assert recorded.read_bytes() == before
    assert not list(recorded.parent.glob("*.html"))


def test_a_page_that_is_not_built_is_said(recorded, monkeypatch, capsys):
    monkeypatch.setattr(page_template, "single", lambda: None)
    assert cli.main(["export", str(recorded)]) == 1
    assert "not built" in capsys.readouterr().err
