"""Protects the API for lessons: the list, a lesson with its answers, and the verdict on a changed program."""

from __future__ import annotations

import gc
import weakref

import pytest

from backscope_server.command.lesson_commands import TEMPLATE
from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import ChangeBlock, Lesson
from backscope_server.lessons.lesson_runs import LessonRun, evaluate
from backscope_server.lessons.preview import LessonDraft

WRITTEN = lesson_file.read(lesson_file.FOLDER / "02_chain_rule.md")
(CHANGE,) = (block for block in WRITTEN.blocks if isinstance(block, ChangeBlock))
PROGRAM = WRITTEN.program(CHANGE.program)
PLACE = f"/api/lessons/{WRITTEN.name}"


def test_the_list_has_every_lesson_in_its_order(server):
    listed = server.http.get("/api/lessons").json()
    assert [one["name"] for one in listed] == [path.stem for path in lesson_file.paths()]
    (one,) = (one for one in listed if one["name"] == WRITTEN.name)
    assert one["title"] == WRITTEN.title
    assert one["needs"] == ["01_graph"]
    assert (one["predictions"], one["changes"]) == (3, 1)


def test_a_lesson_has_its_moments_and_answers(server):
    got = server.http.get(PLACE)
    assert got.status_code == 200, got.text
    found = got.json()
    Lesson.model_validate_json(got.content, strict=True)
    answers = [block["question"]["answer"] for block in found["blocks"] if block["kind"] == "predict"]
    assert answers == [{"kind": "none"}, {"kind": "number", "number": 7}, {"kind": "number", "number": 50}]
    assert all(block["at"]["place"] is not None for block in found["blocks"] if "at" in block)


def test_moments_are_those_of_a_session_that_runs_the_program(server):
    lesson = server.http.get(PLACE).json()
    session = server.start(PROGRAM.source)
    events, _ = server.follow(session)
    (step,) = (b for b in lesson["blocks"] if b["kind"] == "step" and b["at"]["text"] == "after AddBackward0")
    kinds = [event["kind"] for event in events[: step["at"]["place"]["seq"] + 1]]
    assert kinds.count("node_started") == 1
    assert events[len(kinds)]["kind"] == "node_started"


@pytest.mark.parametrize(
    ("before", "after", "reached", "text"),
    [
        ("2.0", "4.0", True, CHANGE.right),
        ("2.0", "3.0", False, CHANGE.missed[0].text),
        ("x ** 2", "x * x", False, "Only numbers may change here: put the rest of the program back as it was."),
    ],
)
def test_a_changed_program_is_judged(server, before, after, reached, text):
    session = server.start(PROGRAM.source.replace(before, after))
    server.follow(session)
    got = server.http.post(f"{PLACE}/changes", json={"line": CHANGE.line, "session": session})
    assert got.status_code == 200, got.text
    assert (got.json()["reached"], got.json()["text"]) == (reached, text)


def test_what_cannot_be_judged_is_refused(server):
    done = server.start(PROGRAM.source)
    server.follow(done)
    running = server.start("while True: pass")
    long = server.start("import torch\nx = torch.ones(256)\nfor i in range(2000): x = x + 1\n")
    server.follow(long)
    for line, session, status, message in (
        (1, done, 422, f"line: the lesson 02_chain_rule has no change at line 1, but at {CHANGE.line}."),
        (CHANGE.line, "nothing", 404, "There is no session 'nothing'"),
        (CHANGE.line, running, 409, "The program is still running."),
        (CHANGE.line, long, 413, "This run is too long for a lesson"),
    ):
        got = server.http.post(f"{PLACE}/changes", json={"line": line, "session": session})
        assert got.status_code == status, got.text
        assert got.json()["error"]["message"].startswith(message)
    server.http.delete(f"/api/sessions/{running}")


def test_a_run_is_not_kept_while_its_values_are_awaited(server, monkeypatch):
    """Any number of requests may wait for a replay."""
    made, alive = [], []

    class Watched(LessonRun):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(weakref.ref(self))

    async def waiting(pausing, seq, expression):
        gc.collect()
        alive.append([ref() is not None for ref in made])
        return await evaluate(pausing, seq, expression)

    monkeypatch.setattr("backscope_server.api.lesson_routes.LessonRun", Watched)
    monkeypatch.setattr("backscope_server.api.lesson_routes.evaluate", waiting)
    session = server.start(PROGRAM.source.replace("2.0", "4.0"))
    server.follow(session)
    got = server.http.post(f"{PLACE}/changes", json={"line": CHANGE.line, "session": session})
    assert got.json()["reached"] is True
    assert alive == [[False]]


def test_events_that_contradict_each_other_are_no_failure_of_the_server(server, monkeypatch):
    def broken(*_arguments):
        raise KeyError(7)

    session = server.start(PROGRAM.source.replace("2.0", "4.0"))
    server.follow(session)
    monkeypatch.setattr("backscope_server.api.lesson_routes.attempt_of", broken)
    got = server.http.post(f"{PLACE}/changes", json={"line": CHANGE.line, "session": session})
    assert got.status_code == 422
    assert got.json()["error"]["message"] == "The record of this run contradicts itself, so it cannot be judged."


def test_a_preview_gives_a_lesson_again_when_it_was_saved(new_server, tmp_path):
    path = tmp_path / "mine.md"
    path.write_text(TEMPLATE)
    with new_server(lessons=path) as own:
        assert [one["name"] for one in own.http.get("/api/lessons").json()] == ["mine"]
        got = own.http.get("/api/lessons/mine/draft")
        LessonDraft.model_validate_json(got.content, strict=True)
        first = got.json()
        assert first["lesson"] == own.http.get("/api/lessons/mine").json()
        same = own.http.get("/api/lessons/mine/draft", params={"after": first["version"]})
        assert (same.status_code, same.content) == (204, b"")
        path.write_text(TEMPLATE.replace("after y is set", "after z is set"))
        broken = own.http.get("/api/lessons/mine/draft", params={"after": first["version"]}).json()
        assert [fault["line"] for fault in broken["faults"]] == [20]
        assert own.http.get("/api/lessons/mine").status_code == 503
        other = own.http.get("/api/lessons/other/draft")
        assert other.status_code == 404
        assert other.json()["error"]["message"] == "There is no lesson 'other'. There is: mine."


def test_other_servers_have_no_drafts(server):
    got = server.http.get(f"{PLACE}/draft")
    assert got.status_code == 404
    assert got.json()["error"]["message"] == (
        "This server shows no drafts of lessons: `backscope lesson preview PATH` does."
    )


def test_an_unknown_lesson_is_answered_by_those_that_there_are(server):
    got = server.http.get("/api/lessons/02_chain_rul")
    assert got.status_code == 404
    assert got.json()["error"]["message"].startswith("There is no lesson '02_chain_rul'. Did you mean 02_chain_rule?")


def test_a_lesson_that_does_not_hold_with_the_limits_of_a_server_says_so(new_server):
    with new_server(events=3) as small:
        got = small.http.get(PLACE)
        assert got.status_code == 503
        message = got.json()["error"]["message"]
        assert message.startswith("The lesson 02_chain_rule does not hold on this server: line ")
