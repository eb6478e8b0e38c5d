"""Protects that a child keeps its pipes at their numbers, nothing else that was open, and writes in one piece."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from backscope_server.sandbox.layers import descriptors


def test_only_the_pipes_are_left(alone):
    code = """
        import os
        from backscope_server.sandbox.layers import descriptors
        pipes = [os.pipe() for _ in range(3)]
        # Pipes may have any number, also those that a busy zygote has come to.
        pipes = [(os.dup2(read, 64 + 2 * i), os.dup2(write, 65 + 2 * i)) for i, (read, write) in enumerate(pipes)]
        extra = [os.dup(0) for _ in range(70)]
        descriptors.open_null()
        (control, job), (read, events), (said, diagnostics) = pipes
        os.write(job, b"job")
        keep_events = os.fork()
        if keep_events == 0:
            descriptors.keep(control, events, diagnostics)
            found = sorted(map(int, os.listdir("/proc/self/fd")))[:-1]
            os.write(descriptors.EVENTS, repr((found, os.read(descriptors.CONTROL, 9))).encode())
            os._exit(0)
        os.waitpid(keep_events, 0)
        print(os.read(read, 99).decode())
    """
    assert alone(code) == "([0, 1, 2, 3, 4], b'job')\n"


def test_what_signal_handlers_write_is_never_inside_of_what_they_interrupt():
    read, write = os.pipe()
    received = []

    def listen():
        with open(read, "rb") as lines:
            received.extend(lines)

    listener = threading.Thread(target=listen)
    listener.start()
    send = descriptors.writer(write)
    handled = 0

    def tick(*_):
        nonlocal handled
        send(b"t" * 9_000 + b"\n")
        handled += 1

    outer = signal.signal(signal.SIGALRM, tick)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
        for _ in range(300):
            send(b"m" * 100_000 + b"\n")
            send(b"m\n")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, outer)
    os.close(write)
    listener.join()
    lines = [b"m" * 100_000 + b"\n", b"m\n"] * 300
    assert [line for line in received if line.startswith(b"m")] == lines
    assert [line for line in received if not line.startswith(b"m")] == [b"t" * 9_000 + b"\n"] * handled
    assert handled > 10


def test_a_pipe_without_a_reader_raises_each_time():
    read, write = os.pipe()
    os.close(read)
    send = descriptors.writer(write)
    for _ in range(2):
        with pytest.raises(BrokenPipeError):
            send(b"data")
    os.close(write)


def test_what_an_exception_interrupts_goes_on_where_it_stopped(monkeypatch):
    read, write = os.pipe()
    original, calls = os.write, []

    def some(descriptor, data):
        calls.append(len(data))
        if len(calls) == 2:
            raise MemoryError
        return original(descriptor, data[:3])

    monkeypatch.setattr(os, "write", some)
    send = descriptors.writer(write)
    with pytest.raises(MemoryError):
        send(b"first\n")
    send(b"second\n")
    os.close(write)
    with open(read, "rb") as lines:
        assert lines.read() == b"first\nsecond\n"
