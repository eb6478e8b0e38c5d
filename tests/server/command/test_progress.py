"""Protects that a command says what it does: at once at a terminal, elsewhere when it takes long."""

from __future__ import annotations

import io
import sys
import threading

from backscope_server.command import progress
from backscope_server.command.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_at_a_terminal_it_is_said_at_once(monkeypatch):
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    with Progress() as found:
        found.begin("reading")
        found.begin("starting")
    assert shown.getvalue() == "backscope: reading ...\nbackscope: starting ...\n"


def test_elsewhere_what_is_over_soon_is_not_said(monkeypatch, capsys):
    timers = []
    monkeypatch.setattr(progress.threading, "Timer", lambda _seconds, say, given: timers.append((say, given)) or Held())
    with Progress() as found:
        found.begin("reading")
        found.begin("starting")
    assert capsys.readouterr().err == ""
    assert [given for _, given in timers] == [("reading",), ("starting",)]


class Held:
    """A timer that never ends."""

    def start(self):
        pass

    def cancel(self):
        pass


def test_elsewhere_what_takes_long_is_said(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)
    said = threading.Event()

    class Noticed(io.StringIO):
        def flush(self):
            said.set()

    monkeypatch.setattr(sys, "stderr", shown := Noticed())
    with Progress() as found:
        found.begin("reading")
        said.wait()
    assert shown.getvalue() == "backscope: reading ...\n"
