"""Protects the API for those who collect moments: a moment gets its name and answer, a lesson becomes its file."""

from __future__ import annotations

import pytest

from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import Lesson
from backscope_server.lessons.moment_naming import NamedMoment

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
