"""Protects the course of one run: it can be stopped at any time, and its last events are not lost."""

from __future__ import annotations

from backscope_server.session import supervisor


def printed(events):
    return "".join(event["text"] for event in events if event["kind"] == "output_printed")


def test_a_running_program_is_stopped(sandbox, log_of):
    async def check():
        session = await sandbox.start("while True: pass\n")
        await session.log.beyond(-1)
        session.stop()
        await session.over()
        return session

    session = sandbox.run(check())
    assert session.status == "stopped"
    assert log_of(session)[-1]["status"] == "stopped"
    assert all(event["kind"] != "error_raised" for event in log_of(session))


def test_a_program_is_stopped_before_it_has_begun(sandbox, log_of):
    async def check():
        session = await sandbox.start("while True: pass\n")
        session.stop()
        await session.over()
        return session

    session = sandbox.run(check())
    assert [event["kind"] for event in log_of(session)] == ["program_started", "program_finished"]
    assert session.status == "stopped"


def test_stopping_a_finished_program_changes_nothing(sandbox):
    session = sandbox.finish("print(1)")
    before = list(session.log.lines)
    session.stop()
    assert (session.status, session.log.lines) == ("ok", before)


def test_a_source_longer_than_a_pipe_gets_through(sandbox, log_of):
    source = f"x = '{'y' * 400_000}'\nprint('end', len(x))\n"
    assert "end 400000" in printed(log_of(sandbox.finish(source)))


def test_the_last_events_before_an_exit_are_there(sandbox, log_of):
    source = "for i in range(3000): print(i)\nraise ValueError('last')\n"
    events = log_of(sandbox.finish(source))
    assert printed(events).endswith("2999\n")
    assert events[-2]["message"] == "last"


def test_nor_are_they_lost_where_the_server_is_slow_to_read_them(sandbox, log_of, monkeypatch):
    monkeypatch.setattr(supervisor, "_DRAIN_SECONDS", 0.0)
    monkeypatch.setattr(supervisor, "_READ", 1 << 10)
    assert printed(log_of(sandbox.finish("for i in range(900): print(i)\n"))).endswith("899\n")


def test_programs_run_at_the_same_time(sandbox):
    async def check():
        sessions = [await sandbox.start(f"print({i})") for i in range(12)]
        for session in sessions:
            await session.over()
        return sessions

    assert {session.status for session in sandbox.run(check())} == {"ok"}


def test_hostile_neighbours_do_not_harm_an_ordinary_program(sandbox, log_of):
    hostile = [
        "while True: print('x' * 5000)",
        "import os\nos._exit(9)",
        "import os\nos.write(4, b'x' * 100000)\nwhile True: pass",
        "import ctypes\nctypes.string_at(0)",
        "while True: pass",
    ]

    async def check():
        others = [await sandbox.start(source, cpu_seconds=1) for source in hostile]
        mine = await sandbox.start("print('mine')")
        await mine.over()
        for session in others:
            session.stop()
            await session.over()
        return mine, others

    mine, others = sandbox.run(check())
    assert mine.status == "ok"
    assert printed(log_of(mine)) == "mine\n"
    assert {session.status for session in others} <= {"limit", "stopped"}


def test_descriptors_are_given_back(sandbox):
    import os

    sandbox.finish("print(1)")
    before = len(os.listdir("/proc/self/fd"))
    for source in ("print(1)", "import os\nos._exit(1)", "import os\nos.write(4, b'bad\\n')"):
        sandbox.finish(source)
    assert len(os.listdir("/proc/self/fd")) == before
