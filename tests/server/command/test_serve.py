"""Protects the start of the server: for a port in use the next free one is offered, and a screen is not assumed."""

from __future__ import annotations

import builtins
import io
import socket
import sys

import pytest

from backscope_server.command import serve


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_without_a_terminal_the_next_free_port_is_used_and_printed(taken, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with serve.listen("127.0.0.1", taken) as listener:
        port = listener.getsockname()[1]
    assert port > taken
    said = capsys.readouterr().err
    assert f"Port {taken} on 127.0.0.1 is in use" in said
    assert f"Using port {port}" in said


@pytest.mark.parametrize(("answer", "started"), [("", True), ("y", True), ("n", False), ("what", False)])
def test_at_a_terminal_the_user_is_asked_for_the_next_port(taken, monkeypatch, answer, started):
    prompts: list[str] = []
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr(builtins, "input", lambda text: prompts.append(text) or answer)
    if started:
        serve.listen("127.0.0.1", taken).close()
    else:
        with pytest.raises(serve.NoPort, match="--port"):
            serve.listen("127.0.0.1", taken)
    assert f"Port {taken}" in prompts[0]


def test_a_free_port_is_used_without_a_message(capsys):
    with serve.listen("127.0.0.1", 0) as listener:
        assert serve.address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}/"
    assert capsys.readouterr() == ("", "")


def test_the_printed_address_can_be_opened():
    with serve.listen("0.0.0.0", 0) as listener:
        assert serve.address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}/"


def test_a_host_that_does_not_exist_is_an_error():
    with pytest.raises(serve.NoPort, match="Cannot listen on no-such-host"):
        serve.listen("no-such-host.invalid", 0)


def test_a_screen_is_needed_for_a_browser(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not serve.has_screen()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert serve.has_screen()
