"""Protects the control pipe of a program, on systems that can poll pipes and with the thread for others."""

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


def test_lines_are_read_whole_one_by_one_and_can_be_polled(pipe):
    orders, write = pipe
    assert not orders.pending()
    write.write(b"first\nsecond\nbegin")
    until(orders.pending)
    assert [orders.line(), orders.pending(), orders.line()] == [b"first", True, b"second"]
    write.write(b"ning\n")
    assert orders.line() == b"beginning"
    assert not orders.pending()


def test_a_partial_line_is_not_returned(pipe):
    orders, write = pipe
    write.write(b"last\nhalf")
    write.close()
    assert orders.line() == b"last"


def test_a_thread_reports_the_line_of_the_program(monkeypatch, tmp_path):
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
