"""Protects what a program's process is told, as it can be waited for and as a thread reads it where it cannot."""

from __future__ import annotations

import os
import threading
import time

import pytest

from backscope_server.sandbox import order_pipe
from backscope_server.sandbox.layers import descriptors


@pytest.fixture(params=[order_pipe.Lines, order_pipe.ThreadedOrderPipe])
def pipe(request, monkeypatch):
    read, write = os.pipe()
    ended = threading.Event()
    monkeypatch.setattr(descriptors, "CONTROL", read)
    monkeypatch.setattr(order_pipe, "_exit", lambda _status: ended.set())
    orders = order_pipe.Lines(read) if request.param is order_pipe.Lines else order_pipe.ThreadedOrderPipe()
    with os.fdopen(write, "wb", buffering=0) as file:
        yield orders, file
    # The server is gone: where nothing else ends the process, this does.
    assert ended.wait(30) if request.param is order_pipe.ThreadedOrderPipe else orders.line() is None
    os.close(read)


def until(found):
    while not found():
        time.sleep(0.001)


def test_lines_come_whole_one_by_one_and_can_be_asked_for(pipe):
    orders, write = pipe
    assert not orders.pending()
    write.write(b"first\nsecond\nbegin")
    until(orders.pending)
    assert [orders.line(), orders.pending(), orders.line()] == [b"first", True, b"second"]
    write.write(b"ning\n")
    assert orders.line() == b"beginning"
    assert not orders.pending()


def test_what_is_not_a_whole_line_is_nothing(pipe):
    orders, write = pipe
    write.write(b"last\nhalf")
    write.close()
    assert orders.line() == b"last"


def test_a_thread_says_which_line_the_program_is_at(monkeypatch, tmp_path):
    read, write = os.pipe()
    ended = threading.Event()
    monkeypatch.setattr(descriptors, "CONTROL", read)
    monkeypatch.setattr(order_pipe, "_exit", lambda _status: ended.set())
    with open(tmp_path / "said", "w+b") as file:
        monkeypatch.setattr(descriptors, "DIAGNOSTICS", file.fileno())
        orders = order_pipe.ThreadedOrderPipe()
        os.write(write, order_pipe.WHERE + b"\nnext\n")
        assert orders.line() == b"next"
        file.seek(0)
        assert f'File "{__file__}"'.encode() in file.read()
    os.close(write)
    assert ended.wait(30)
    os.close(read)
