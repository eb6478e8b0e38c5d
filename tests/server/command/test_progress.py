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

    def timer(_seconds, _say, given):
        timers.append(held := Held(given))
        return held

    monkeypatch.setattr(progress.threading, "Timer", timer)
    with Progress() as found:
        found.begin("reading")
        found.begin("starting")
    assert capsys.readouterr().err == ""
    assert [(held.given, held.cancelled) for held in timers] == [(("reading",), True), (("starting",), True)]


class Held:
    """A timer that never ends by itself."""

    def __init__(self, given):
        self.given = given
        self.cancelled = False

    def start(self):
        pass

    def cancel(self):
        self.cancelled = True


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
