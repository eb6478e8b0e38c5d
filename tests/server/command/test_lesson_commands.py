"""Protects `backscope lesson`: a new one holds, faults are printed with their lines, and one page holds a lesson."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re

import pytest

from backscope.player import page_template
from backscope.protocol import events as ev, trace
from backscope_server.api import lesson_page
from backscope_server.command import cli
from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import ChangeBlock, Lesson, PredictBlock, ProgramBlock

PAGE = "<title>BACKSCOPE_TITLE</title><i nonce=BACKSCOPE_NONCE>BACKSCOPE_ABOUT|BACKSCOPE_RECORDING"


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
    assert found == ["first.md:5:", "first.md:20:", "first.md:28:", "first.md:31:"]


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


def test_files_that_cannot_be_read_are_said_and_the_others_are_checked(folder, capfd):
    assert cli.main(["lesson", "new", "first"]) == 0
    (folder / "a_broken.md").symlink_to("nowhere.md")
    (folder / "b_folder.md").mkdir()
    os.mkfifo(folder / "c_pipe.md")
    (folder / "z_empty.md").write_text("")
    capfd.readouterr()
    assert cli.main(["lesson", "check", "."]) == 2
    said = capfd.readouterr()
    assert said.err.splitlines() == [
        "backscope: cannot read a_broken.md: No such file or directory",
        "backscope: cannot read c_pipe.md: it is no file",
    ]
    assert [line.split(" ")[0] for line in said.out.splitlines()] == ["first.md:", "z_empty.md:1:"]


def test_a_command_is_needed(capfd):
    with pytest.raises(SystemExit) as left:
        cli.main(["lesson"])
    assert left.value.code == 2
    assert "the following arguments are required: COMMAND" in capfd.readouterr().err


def test_an_invalid_setting_is_named(folder, capfd, monkeypatch):
    monkeypatch.setenv("BACKSCOPE_EVENTS", "many")
    assert cli.main(["lesson", "check", "x.md"]) == 2
    assert "BACKSCOPE_EVENTS" in capfd.readouterr().err


@pytest.fixture
def lesson(folder, monkeypatch, capfd):
    """Return the text of a lesson that holds, mine.md, with a small template for pages beside it."""
    monkeypatch.setattr(page_template, "lesson", lambda: PAGE)
    assert cli.main(["lesson", "new", "mine"]) == 0
    capfd.readouterr()
    return (folder / "mine.md").read_text()


def test_a_page_has_the_solved_lesson_and_a_recording_of_each_program(lesson, folder, capfd):
    hostile = "</title><script>1</script> BACKSCOPE_ABOUT"
    (folder / "mine.md").write_text(re.sub("title: .*", f"title: {hostile}", lesson))
    assert cli.main(["lesson", "export", "mine.md"]) == 0
    made = (folder / "mine.html").read_bytes()
    assert capfd.readouterr().err == f"backscope: wrote mine.html, {len(made):,} bytes\n"
    assert cli.main(["lesson", "export", "mine.md", "-o", "again.html"]) == 0
    assert (folder / "again.html").read_bytes() == made

    found = re.fullmatch(r"<title>(.*)</title><i nonce=([\w-]{22})>(.*)\|(.*)", made.decode(), re.DOTALL)
    title, _nonce, about, recordings = found.groups()
    assert "<" not in title
    read = json.loads(gzip.decompress(base64.b64decode(about)))
    solved = Lesson.model_validate_json(json.dumps(read["lesson"]), strict=True)
    assert solved.title == hostile
    (program,) = (block for block in solved.blocks if isinstance(block, ProgramBlock))
    (predict,) = (block for block in solved.blocks if isinstance(block, PredictBlock))
    (change,) = (block for block in solved.blocks if isinstance(block, ChangeBlock))
    assert predict.question.answer.number == 3
    assert read["programs"] == [{"source": one, "seed": 0} for one in (program.source, change.solution)]
    traces = [base64.b64decode(one) for one in recordings.split("\n")]
    for one, source in zip(traces, (program.source, change.solution), strict=True):
        (folder / "one.backscope").write_bytes(one)
        events = [ev.decode(line) for line in trace.read(folder / "one.backscope")]
        assert events[0].source == source
        assert events[-1].status == "ok"
    assert len(read["ops"]) > 400


def test_a_lesson_that_does_not_hold_is_not_written(lesson, folder, capfd):
    (folder / "mine.md").write_text(lesson.replace("after y is set", "after z is set"))
    assert cli.main(["lesson", "export", "mine.md"]) == 1
    assert capfd.readouterr().out == (
        "mine.md:20: There is no moment 'after z is set'. The run has: x is set, w is set, y is set.\n"
    )
    assert not list(folder.glob("*.html"))


def test_a_page_that_would_be_too_large_is_refused_by_its_size(lesson, folder, capfd, monkeypatch):
    monkeypatch.setattr(lesson_page, "MOST_BYTES", 1000)
    assert cli.main(["lesson", "export", "mine.md"]) == 1
    said = capfd.readouterr().err
    assert re.match(r"backscope: mine\.md: The page would have [\d,]{5,} bytes; 1,000 are the most\. ", said)
    assert re.search(r"The recording of the program at line (11|39) has [\d,]+: let it make fewer", said)
    assert not list(folder.glob("*.html"))


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nowhere.md"], 2, "backscope: cannot read nowhere.md: No such file or directory\n"),
        (["."], 2, "backscope: cannot read .: it is no file; name one lesson\n"),
        (["mine.md", "-o", "mine.md"], 1, "backscope: mine.md is the lesson itself. Name another file with -o.\n"),
        (["mine.md", "-o", "no/x.html"], 1, "backscope: cannot write no/x.html: there is no folder no\n"),
    ],
)
def test_an_export_that_fails_says_why(lesson, folder, capfd, arguments, status, message):
    assert cli.main(["lesson", "export", *arguments]) == status
    assert capfd.readouterr().err == message
    assert (folder / "mine.md").read_text() == lesson


def test_a_page_that_is_not_built_is_said(lesson, monkeypatch, capfd):
    monkeypatch.setattr(page_template, "lesson", lambda: None)
    assert cli.main(["lesson", "export", "mine.md"]) == 1
    assert "not built" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.md", "backscope: cannot read nowhere.md: No such file or directory\n"),
        ("pipe.md", "backscope: cannot read pipe.md: it is no file\n"),
        ("empty", "backscope: cannot read empty: there is no lesson, a file that ends in .md, in this folder\n"),
        (
            "my lesson.md",
            "backscope: 'my lesson' is no name of a lesson: use letters, digits and _, as 03_broadcasting.\n",
        ),
    ],
)
def test_what_cannot_be_previewed_is_said(folder, capfd, path, message):
    (folder / "empty").mkdir()
    (folder / "my lesson.md").write_text("")
    os.mkfifo(folder / "pipe.md")
    assert cli.main(["lesson", "preview", path]) == 2
    assert capfd.readouterr().err == message
