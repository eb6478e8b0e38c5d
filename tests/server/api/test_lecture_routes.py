"""Protects the API for those who collect moments: a moment gets its name and answer, a lesson becomes its file."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json

import pytest

from backscope.player import page_template
from backscope_server.api import lesson_page
from backscope_server.command import cli
from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import Lesson
from backscope_server.lessons.moment_naming import NamedMoment
from backscope_server.lessons.sent_lessons import TooManyLessons

SOURCE = """\
import torch

w = torch.tensor(3.0, requires_grad=True)
for _ in range(2):
    y = w * 2
    y.backward()
"""


def ended(server, source):
    session = server.start(source)
    events, _ = server.follow(session)
    return session, events


def test_a_moment_is_named_with_its_program_and_the_value_of_an_expression(server):
    session, events = ended(server, SOURCE)
    named = {}
    for step in range(100):
        got = server.http.post("/api/lectures/moments", json={"session": session, "step": step})
        if got.status_code == 422:
            break
        one = NamedMoment.model_validate_json(got.content, strict=True)
        assert (one.source, one.seed, one.raises, one.answer) == (SOURCE, 0, None, None)
        named[one.at.text] = one.at.place
    place = named["after w accumulates #2"]
    assert [event["kind"] for event in events[: place.seq + 1]].count("grad_accumulated") == 2
    body = {"session": session, "step": place.step, "ask": "w.grad"}
    got = server.http.post("/api/lectures/moments", json=body)
    assert got.json()["answer"] == {"kind": "number", "number": 4}


def test_a_program_that_fails_is_named_with_its_error(server):
    session, _ = ended(server, "import torch\nx = torch.ones(2)\nx.backward()\n")
    got = server.http.post("/api/lectures/moments", json={"session": session, "step": 1})
    assert got.json()["raises"] == "RuntimeError"
    assert got.json()["at"]["text"] == "at the error"


def test_what_cannot_be_named_is_refused(server):
    done, _ = ended(server, SOURCE)
    running = server.start("while True: pass")
    long, _ = ended(server, "import torch\nx = torch.ones(256)\nfor i in range(2000): x = x + 1\n")
    for body, status, message in (
        ({"session": "nothing", "step": 0}, 404, "There is no session 'nothing'"),
        ({"session": done, "step": 10_000}, 422, "There is no step 10001"),
        ({"session": done, "step": 2, "ask": "zz"}, 422, "`zz` has no value "),
        ({"session": done, "step": 2, "ask": "1 +"}, 422, "'1 +' is no expression of Python"),
        ({"session": done, "step": 2, "ask": "torch"}, 422, "`torch` is"),
        ({"session": running, "step": 0}, 409, "The program is still running."),
        ({"session": long, "step": 0}, 413, "This run is too long for a lesson"),
    ):
        got = server.http.post("/api/lectures/moments", json=body)
        assert got.status_code == status, got.text
        assert got.json()["error"]["message"].startswith(message)
    server.http.post(f"/api/sessions/{running}/stop")
    got = server.http.post("/api/lectures/moments", json={"session": running, "step": 0})
    assert got.status_code == 422
    assert got.json()["error"]["message"].startswith("The program was stopped before its end.")
    server.http.delete(f"/api/sessions/{running}")


def test_events_that_contradict_each_other_are_no_failure_of_the_server(server, monkeypatch):
    def broken(*_arguments):
        raise KeyError(7)

    session, _ = ended(server, SOURCE)
    monkeypatch.setattr("backscope_server.api.lecture_routes.named", broken)
    got = server.http.post("/api/lectures/moments", json={"session": session, "step": 0})
    assert got.status_code == 422
    assert got.json()["error"]["message"].startswith("The record of this run contradicts itself")


@pytest.mark.parametrize("path", lesson_file.paths()[:3], ids=lambda path: path.stem)
def test_a_lesson_becomes_its_file(server, path):
    lesson = lesson_file.read(path)
    got = server.http.post("/api/lectures/file", content=lesson.model_dump_json())
    assert got.status_code == 200, got.text
    again = lesson_file.parse(lesson.name, got.json()["text"])
    assert [block.kind for block in again.blocks] == [block.kind for block in lesson.blocks]
    assert again.title == lesson.title


def test_a_lesson_that_no_file_can_hold_is_refused(server):
    lesson = lesson_file.read(lesson_file.paths()[0])
    text = ":::{step}"
    blocks = [block.model_copy(update={"text": text}) if block.kind == "step" else block for block in lesson.blocks]
    broken: Lesson = lesson.model_copy(update={"blocks": blocks})
    got = server.http.post("/api/lectures/file", content=broken.model_dump_json())
    assert got.status_code == 422
    assert got.json()["error"]["message"].startswith("The lesson cannot be written")


PAGE = "<title>BACKSCOPE_TITLE</title><i nonce=BACKSCOPE_NONCE>BACKSCOPE_ABOUT|BACKSCOPE_RECORDING"


@pytest.fixture
def template(monkeypatch):
    """Put a small template in the place of the built page of a lesson."""
    monkeypatch.setattr(page_template, "lesson", lambda: PAGE)


def collected(*moments, source=SOURCE, title="Sums"):
    """Return the lesson that the page makes of moments of a program, as it sends it."""
    program = {"name": "program", "source": source, "source_line": 1, "seed": 0, "raises": None}
    blocks = [{"kind": "program", "line": 1, **program}]
    for number, at in enumerate(moments, 2):
        place = {"step": 1, "seq": 1, "read_seq": 1}
        blocks.append(
            {"kind": "step", "line": number, "program": "program", "at": {"text": at, "place": place}, "text": "Look."}
        )
    about = {"name": "sums", "title": title, "goal": "Look", "learned": "Sums", "minutes": 1, "needs": [], "lines": {}}
    return {**about, "blocks": blocks}


@pytest.mark.usefixtures("template")
def test_a_page_is_the_one_that_the_command_writes(server, tmp_path):
    lesson = collected("after y is set", "after w accumulates #2")
    got = server.http.post("/api/lectures/page", json=lesson)
    assert got.status_code == 200, got.text
    assert got.headers["content-disposition"] == "attachment"
    assert got.headers["content-type"] == "application/octet-stream"
    text = server.http.post("/api/lectures/file", json=lesson).json()["text"]
    (tmp_path / "sums.md").write_text(text)
    assert cli.main(["lesson", "export", str(tmp_path / "sums.md")]) == 0
    assert got.content == (tmp_path / "sums.html").read_bytes()
    about = json.loads(gzip.decompress(base64.b64decode(got.text.split(">")[-1].split("|")[0])))
    places = [block["at"]["place"] for block in about["lesson"]["blocks"] if "at" in block]
    assert [place["step"] for place in places] != [1, 1], "the places are computed, not taken from the client"


@pytest.mark.usefixtures("template")
@pytest.mark.parametrize(
    ("lesson", "message"),
    [
        (
            collected("after y is set", "after w accumulates #3"),
            "Moment 2, after w accumulates #3: There is no moment 'after w accumulates #3': w accumulates happens "
            "2 times.",
        ),
        (
            collected("at the end", source="import torch\nno_name\n"),
            "The program of moment 1: The program fails: NameError: name 'no_name' is not defined.",
        ),
        (
            collected("at the end", source="import torch\nx = torch.ones(256)\nfor i in range(9000): x = x + 1\n"),
            "The program of moment 1: The program fails: EventLimitExceeded: The program recorded more than",
        ),
        ({**collected("at the end"), "needs": ["01_graph"]}, "needs: a lesson in a file of its own needs no others"),
        ({**collected(), "blocks": []}, "The lesson is empty: add a moment of a run first."),
    ],
)
def test_a_lesson_that_does_not_hold_gets_no_page(server, lesson, message):
    got = server.http.post("/api/lectures/page", json=lesson)
    assert got.status_code == 422, got.text
    assert got.json()["error"]["message"].startswith(message)


@pytest.mark.usefixtures("template")
def test_a_program_that_does_not_end_is_ended_and_the_next_lesson_gets_its_page(new_server):
    lesson = collected("at the end", source="import torch\nwhile True: torch.ones(1)\n")
    with new_server(wall_seconds=2, events=10_000_000, log_bytes=1 << 30) as own:
        got = own.http.post("/api/lectures/page", json=lesson)
        assert got.status_code == 422
        assert "EventLimitExceeded" in got.text or "TimeLimitExceeded" in got.text or "2 s together" in got.text
        paused = collected("at the end", source="while True: pass\n")
        got = own.http.post("/api/lectures/page", json=paused)
        assert got.status_code == 422
        assert "2 s" in got.json()["error"]["message"]
        again = own.http.post("/api/lectures/page", json=collected("after y is set"))
        assert again.status_code == 200, again.text


@pytest.mark.usefixtures("template")
def test_programs_that_end_are_ended_together_when_the_time_is_over(new_server, monkeypatch):
    async def endless(_lesson, runs):
        while True:
            assert (await runs.run("x = 1\n", 0)).status == "ok"

    monkeypatch.setattr("backscope_server.lessons.sent_lessons.solve", endless)
    with new_server(wall_seconds=2) as own:
        got = own.http.post("/api/lectures/page", json=collected("at the end"))
        assert got.status_code == 422
        assert got.json()["error"]["message"].startswith("The programs of this lesson take longer than 2 s together.")


@pytest.mark.usefixtures("template")
def test_one_page_is_made_at_a_time(server):
    sent = server.app.state.sent
    address = "127.0.0.1"
    with sent.place(address):
        got = server.http.post("/api/lectures/page", json=collected("after y is set"))
        assert (got.status_code, "retry-after" in got.headers) == (503, True)
        assert got.json()["error"]["message"].startswith("This server makes the page of one lesson at a time")
        with contextlib.ExitStack() as others:
            for number in range(7):
                others.enter_context(sent.place(f"other {number}"))
            with pytest.raises(TooManyLessons), sent.place("one more"):
                pass
    assert server.http.post("/api/lectures/page", json=collected("after y is set")).status_code == 200


@pytest.mark.usefixtures("template")
def test_a_page_that_finds_no_place_counts_as_no_start(new_server):
    with new_server(address_starts=1) as own:
        with own.app.state.sent.place("127.0.0.1"):
            assert own.http.post("/api/lectures/page", json=collected("after y is set")).status_code == 503
        assert own.http.post("/api/lectures/page", json=collected("after y is set")).status_code == 200


@pytest.mark.usefixtures("template")
def test_programs_of_pages_count_as_starts(new_server):
    with new_server(address_starts=2) as own:
        assert own.http.post("/api/lectures/page", json=collected("after y is set")).status_code == 200
        assert own.http.post("/api/lectures/page", json=collected("after y is set")).status_code == 200
        got = own.http.post("/api/lectures/page", json=collected("after y is set"))
        assert got.status_code == 429
        assert got.json()["error"]["message"].startswith("This server starts 2 programs a minute")


def test_a_page_that_is_too_large_or_not_built_is_refused(server, template, monkeypatch):
    monkeypatch.setattr(lesson_page, "MOST_BYTES", 1000)
    got = server.http.post("/api/lectures/page", json=collected("after y is set"))
    assert got.status_code == 413
    assert "1,000 are the most" in got.json()["error"]["message"]
    monkeypatch.setattr(page_template, "lesson", lambda: None)
    got = server.http.post("/api/lectures/page", json=collected("after y is set"))
    assert got.status_code == 503
    assert "is not built" in got.json()["error"]["message"]
