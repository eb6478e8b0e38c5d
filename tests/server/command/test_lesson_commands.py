"""Protects `backscope lesson`: a new one holds, and what does not hold is printed with its line."""

from __future__ import annotations

import pytest

from backscope_server.command import cli
from backscope_server.lessons import lesson_file


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_lesson_holds_and_a_broken_one_does_not(folder, capfd):
    assert cli.main(["lesson", "new", "first"]) == 0
    assert capfd.readouterr().err == "backscope: wrote first.md; `backscope lesson check first.md` runs it\n"
    text = (folder / "first.md").read_text(encoding="utf-8")
    (folder / "second.md").write_text(text.replace("after y is set", "after z is set"))
    (folder / "README.md").write_text("About these lessons.")
    assert cli.main(["lesson", "check", "."]) == 1
    assert capfd.readouterr().out.splitlines() == [
        "first.md: 1 moment, 1 prediction, 1 change",
        "second.md:20: There is no moment 'after z is set'. The run has: x is set, w is set, y is set.",
    ]


def test_all_mistakes_in_a_file_are_printed(folder, capfd):
    assert cli.main(["lesson", "new", "first"]) == 0
    path = folder / "first.md"
    text = path.read_text(encoding="utf-8").replace("minutes: 3", "minutes: x").replace(":::{step}", ":::{stop}")
    path.write_text(text.replace("- right: `y` grows", "- rigth: `y` grows").replace('check="w.grad', 'check="(w.grad'))
    capfd.readouterr()
    assert cli.main(["lesson", "check", "first.md"]) == 1
    found = [line.split(" ")[0] for line in capfd.readouterr().out.splitlines()]
    assert found == ["first.md:5:", "first.md:20:", "first.md:24:", "first.md:28:", "first.md:31:"]


def test_the_format_of_lessons_is_printed(capfd):
    assert cli.main(["lesson", "format"]) == 0
    printed = capfd.readouterr().out
    assert printed.startswith("# The format of lessons\n")
    assert printed == lesson_file.FORMAT.read_text(encoding="utf-8")


def test_no_lesson_is_written_over(folder, capfd):
    (folder / "mine.md").write_text("mine")
    assert cli.main(["lesson", "new", "mine.md"]) == 1
    assert capfd.readouterr().err == "backscope: mine.md exists already: choose another name, or remove it.\n"
    assert (folder / "mine.md").read_text() == "mine"


def test_a_name_with_other_signs_is_refused(folder, capfd):
    assert cli.main(["lesson", "new", "../mine"]) == 2
    assert "'../mine' is no name of a lesson: use letters, digits and _" in capfd.readouterr().err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.md", "backscope: cannot read nowhere.md: No such file or directory\n"),
        (".", "backscope: cannot read .: there is no lesson, a file that ends in .md, in this folder\n"),
    ],
)
def test_a_path_without_lessons_is_said(folder, capfd, path, message):
    assert cli.main(["lesson", "check", path]) == 2
    assert capfd.readouterr().err == message


def test_a_command_is_needed(capfd):
    with pytest.raises(SystemExit) as left:
        cli.main(["lesson"])
    assert left.value.code == 2
    assert "the following arguments are required: COMMAND" in capfd.readouterr().err


def test_an_invalid_setting_is_named(folder, capfd, monkeypatch):
    monkeypatch.setenv("BACKSCOPE_EVENTS", "many")
    assert cli.main(["lesson", "check", "x.md"]) == 2
    assert "BACKSCOPE_EVENTS" in capfd.readouterr().err
