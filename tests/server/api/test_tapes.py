"""Protects questions about runs: which exist, their answers, runs without answers, and the memory that they take."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from backscope.diagnosis.why import OutOfTime, Subject
from backscope.program import runner
from backscope_server.access.work import Work
from backscope_server.api.tapes import Tapes, _Kept
from backscope_server.errors import Problem
from backscope_server.session.session import Session

SOURCE = "import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * x\nz = y + 1\nz.backward()\n"


def recorded(source: str = SOURCE) -> Session:
    lines: list[bytes] = []
    status = runner.run(source, lambda batch: lines.extend(batch.splitlines()))
    return Session.recorded(lines, status)


def tensor(session: Session, name: str) -> int:
    """Return the tensor that a variable was bound to."""
    events = map(json.loads, session.log.lines)
    return next(event["tensor"] for event in events if event["kind"] == "tensor_named" and event["name"] == name)


@pytest.fixture
def tapes():
    made = Tapes(1 << 20, 60, Work())
    yield made
    made._work.close()


def problem_of(work) -> Problem:
    with pytest.raises(Problem) as caught:
        asyncio.run(work)
    return caught.value


def test_a_question_about_a_run_is_answered_over_http(server):
    session = server.start(SOURCE)
    events, _ = server.follow(session)
    y = next(event["tensor"] for event in events if event["kind"] == "tensor_named" and event["name"] == "y")
    path = f"/api/sessions/{session}"
    found = server.http.get(f"{path}/questions", params={"tensor": y}).json()["questions"]
    assert {"key": "grad_none", "text": "Why is y.grad None?", "about": {"tensor": y, "node": None}} in found
    answer = server.http.get(f"{path}/why", params={"key": "grad_none", "tensor": y, "seq": len(events) - 1}).json()
    assert 3 in answer["lines"] and y in answer["tensors"]
    assert "retain_grad" in answer["fix"]
    copy = server.http.post("/api/traces", content=server.http.get(f"{path}/trace").content).json()["session"]
    assert server.http.get(f"/api/sessions/{copy}/why", params={"key": "grad_none", "tensor": y}).json() == answer


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("questions?seq=100000", "none of them"),
        ("questions?seq=-1", "none of them"),
        ("questions?seq=x", "integer"),
        ("questions?tensor=99999", "99999"),
        (f"questions?tensor={10**40}", str(10**40)),
        ("why", "required"),
        ("why?key=nonsense", "nonsense"),
        ("why?key=grad_none", "does not arise"),
        ("why?key=" + "x" * 1000, "at most 100"),
    ],
)
def test_an_invalid_question_gets_the_reason(server, query, text):
    session = server.start(SOURCE)
    server.follow(session)
    answer = server.http.get(f"/api/sessions/{session}/{query}")
    assert answer.status_code == 422
    assert text in answer.json()["error"]["message"]


def test_a_running_program_has_answers_about_its_events_so_far(tapes):
    whole = recorded()
    y = tensor(whole, "y")
    session = Session()

    async def ask_all() -> list[list[str]]:
        keys = []
        for end in (len(whole.log.lines) // 2, len(whole.log.lines)):
            session.log.append(whole.log.lines[session.log.last + 1 : end])
            keys.append([found.key for found in await tapes.questions(session, None, Subject(tensor=y))])
        return keys

    assert asyncio.run(ask_all())[1] == ["grad_none"]
    # Questions about a moment of the past use the same tape.
    before = problem_of(tapes.questions(session, 1, Subject(tensor=y)))
    assert before.status == 422


def test_a_run_that_is_too_long_has_no_answers():
    tapes = Tapes(1000, 60, Work())
    problem = problem_of(tapes.questions(recorded(), None, Subject()))
    assert problem.status == 413
    assert "BACKSCOPE_WHY_BYTES" in problem.message
    tapes._work.close()


def test_a_server_that_stops_says_so():
    tapes = Tapes(1 << 20, 60, Work())
    tapes._work.close()
    problem = problem_of(tapes.questions(recorded(), None, Subject()))
    assert (problem.status, problem.retry_after is not None) == (503, True)
    assert "stopping" in problem.message


def test_few_tapes_are_kept_and_those_of_removed_runs_are_dropped():
    sessions = [recorded(SOURCE + f"print({i})\n") for i in range(4)]
    tapes = Tapes(2 * sessions[0].log.nbytes, 60, Work())

    async def ask_all() -> None:
        for session in [*sessions, sessions[2]]:
            await tapes.questions(session, None, Subject())
        tapes.forget(sessions[3])
        await tapes.questions(sessions[2], None, Subject())

    asyncio.run(ask_all())
    assert list(tapes._kept) == [sessions[2].id]
    tapes._work.close()


def test_events_that_contradict_each_other_are_no_failure_of_the_server(tapes, monkeypatch):
    def broken(*_arguments):
        raise KeyError(7)

    monkeypatch.setattr("backscope_server.api.tapes.questions", broken)
    problem = problem_of(tapes.questions(recorded(), None, Subject()))
    assert (problem.status, "contradicts itself" in problem.message) == (422, True)


def test_an_event_that_occurs_twice_is_no_failure_of_the_server(tapes):
    session = recorded()
    session.log.append([session.log.lines[3]])
    assert problem_of(tapes.questions(session, None, Subject())).status == 422


def test_an_answer_that_takes_too_long_is_given_up_and_the_next_one_is_not(monkeypatch):
    tapes = Tapes(1 << 20, 0.05, Work())
    session = recorded()
    ended = threading.Event()

    def endless(tape, _seq, _about):
        try:
            while True:
                tape.mode(0)
        finally:
            ended.set()

    monkeypatch.setattr("backscope_server.api.tapes.questions", endless)
    problem = problem_of(tapes.questions(session, None, Subject()))
    assert (problem.status, "given up after 0.05 s" in problem.message) == (422, True)
    assert ended.is_set()  # The work has stopped, not only the waiting for it.
    monkeypatch.undo()
    tapes.seconds = 60
    assert asyncio.run(tapes.questions(session, None, Subject())) == []
    tapes._work.close()


def test_one_question_of_an_address_at_a_time_and_so_many_wait(tapes, monkeypatch):
    session = recorded()
    going = threading.Event()
    monkeypatch.setattr("backscope_server.api.tapes.questions", lambda *_: going.wait(60))

    async def check() -> list[int]:
        def ask_one(address: str) -> asyncio.Task[object]:
            return asyncio.create_task(tapes.questions(session, None, Subject(), address))

        mine = [ask_one("mine") for _ in range(11)]
        await asyncio.sleep(0)
        while not mine[10].done():
            await asyncio.sleep(0.001)
        assert tapes._work._busy == {"mine"}  # Nine of them wait for the first, not in a thread.
        others = [ask_one(f"other {number}") for number in range(41)]
        while not others[40].done():
            await asyncio.sleep(0.001)
        going.set()
        ends = await asyncio.gather(*mine, *others, return_exceptions=True)
        return [end.status if isinstance(end, Problem) else 200 for end in ends]

    statuses = asyncio.run(check())
    assert statuses == [200] * 10 + [429] + [200] * 40 + [503]
    assert not tapes._work._pieces and not tapes._work._waiting


def test_the_tape_goes_with_its_session(new_server):
    with new_server(kept=1, storage="off") as server:
        session = server.start(SOURCE)
        server.follow(session)
        assert server.http.get(f"/api/sessions/{session}/questions").status_code == 200
        tapes = server.app.state.tapes
        assert list(tapes._kept) == [session]
        server.follow(server.start(SOURCE))
        assert server.http.get("/api/health").status_code == 200
        assert list(tapes._kept) == []


def test_a_tape_that_is_not_finished_in_time_counts_too(monkeypatch):
    sessions = [recorded(SOURCE + f"print({i})\n") for i in range(3)]
    tapes = Tapes(sessions[0].log.lines.text_nbytes + 10, 60, Work())

    async def ask_all() -> None:
        await tapes.questions(sessions[0], None, Subject())
        await tapes.questions(sessions[1], sessions[1].log.last, Subject())
        extend = _Kept.extend

        def late(kept, lines, count, yield_thread):
            extend(kept, lines, count, yield_thread)
            raise OutOfTime

        monkeypatch.setattr(_Kept, "extend", late)
        with pytest.raises(Problem):
            await tapes.questions(sessions[2], None, Subject())

    asyncio.run(ask_all())
    assert list(tapes._kept) == [sessions[2].id]
    tapes._work.close()


def test_a_tape_has_the_events_up_to_its_question(monkeypatch):
    monkeypatch.setattr("backscope_server.api.tapes._BATCH_EVENTS", 3)
    lines = recorded().log.lines
    kept = _Kept()
    for count in (4, 4, 11, len(lines)):
        kept.extend(lines, count, lambda: None)
        assert kept.tape.seq == count - 1


def test_a_question_that_waits_while_its_run_is_forgotten_makes_no_tape(tapes, monkeypatch):
    first, second = recorded(), recorded()
    going = threading.Event()
    monkeypatch.setattr("backscope_server.api.tapes.questions", lambda *_: going.wait(60))

    async def check() -> None:
        waiting = [asyncio.create_task(tapes.questions(session, None, Subject(), "a")) for session in (first, second)]
        while not tapes._kept:
            await asyncio.sleep(0.001)
        tapes.forget(second)
        going.set()
        _, problem = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(problem, Problem)
        assert problem.status == 410

    asyncio.run(check())
    assert list(tapes._kept) == [first.id]
    tapes._work.close()
    tapes.forget(first)
