"""Protects the command line: it prints its address, opens traces, refuses what it cannot do, and is documented."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import backscope
from backscope import torch
from backscope_server.api import page
from backscope_server.command import cli, serve
from backscope_server.session.session import Session

ROOMS = Path(__file__).parents[3] / "server" / "backscope_server"


def flags() -> set[str]:
    found: set[str] = set()
    parsers = [cli.parser()]
    while parsers:
        for action in parsers.pop()._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
                found |= set(action.choices)
            found |= {flag for flag in action.option_strings if flag.startswith("--")}
    return found - {"--help", "--version"}


def test_every_command_and_flag_is_documented():
    text = (ROOMS / "command" / "README.md").read_text(encoding="utf-8")
    assert [flag for flag in sorted(flags()) if flag not in text] == []


@pytest.mark.parametrize("command", ["run", "debug"])
def test_a_missing_argument_is_named(capsys, command):
    with pytest.raises(SystemExit):
        cli.main([command])
    assert capsys.readouterr().err.endswith("the following arguments are required: FILE\n")


@pytest.mark.parametrize(("seed", "reason"), [("x", "not a whole number"), (str(2**63), "does not fit 64 bits")])
@pytest.mark.parametrize("command", ["run", "debug"])
def test_a_seed_that_no_recording_can_hold_is_refused(capsys, command, seed, reason):
    with pytest.raises(SystemExit):
        cli.main([command, "--seed", seed, "a.py"])
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["serve", "--host", "0.0.0.0"], "this machine only"),
        (["serve", "--host", "0.0.0.0"], "--public"),
        (["serve", "--host", "192.168.0.1"], "SSH"),
        (["serve", "--port", "70000"], "--port"),
    ],
)
def test_settings_that_cannot_be_served_are_refused(capsys, arguments, text):
    assert cli.main(arguments) == 2
    assert text in capsys.readouterr().err


def test_a_system_that_cannot_debug_in_a_terminal_says_so(capsys, monkeypatch):
    monkeypatch.delattr(os, "fork")
    assert cli.main(["debug", "program.py"]) == 1
    assert "WSL" in capsys.readouterr().err


def test_a_bad_setting_is_named(capsys, monkeypatch):
    monkeypatch.setenv("BACKSCOPE_EVENTS", "many")
    assert cli.main(["serve"]) == 2
    assert "BACKSCOPE_EVENTS" in capsys.readouterr().err


def test_a_misspelt_setting_is_named(capsys, monkeypatch):
    monkeypatch.setenv("BACKSCOPE_EVENT", "17")
    monkeypatch.setattr(serve.page, "is_built", lambda: False)
    assert cli.main(["serve", "--port", "0", "--no-browser"]) == 1
    said = "backscope: BACKSCOPE_EVENT is no setting and has no effect; did you mean BACKSCOPE_EVENTS?\n"
    assert capsys.readouterr().err.startswith(said)


def test_no_command_shows_the_help(capsys):
    assert cli.main([]) == 2
    assert "serve" in capsys.readouterr().out


def test_a_page_that_is_not_built_is_said(capsys, monkeypatch):
    monkeypatch.setattr(serve.page, "is_built", lambda: False)
    assert cli.main(["serve", "--port", "0", "--no-browser"]) == 1
    assert "npm run build" in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, b"", b"not a trace"])
def test_a_bad_trace_is_said(capsys, tmp_path, content):
    path = tmp_path / "x.backscope"
    if content is not None:
        path.write_bytes(content)
    assert cli.main(["open", str(path), "--port", "0", "--no-browser"]) == 1
    said = capsys.readouterr().err
    assert "x.backscope" in said
    assert "Traceback" not in said


@contextlib.contextmanager
def started(*arguments: str):
    """Start the command in a process of its own, and return it with the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "backscope_server", *arguments, "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line + process.stderr.read()
        yield process, found[0]
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
        assert "Traceback" not in said
        assert process.returncode == 0


@pytest.mark.skipif(not page.is_built(), reason="the page is not built here; tests/packaging builds it")
def test_serve_prints_its_address_and_stops_on_interrupt():
    with started("serve") as (_, url), urllib.request.urlopen(url) as answer:
        assert b"<title>Backscope</title>" in answer.read()


@pytest.mark.skipif(not page.is_built(), reason="the page is not built here; tests/packaging builds it")
def test_open_serves_the_trace(tmp_path):
    (tmp_path / "a.py").write_text("print('recorded')")
    assert cli.main(["run", "--trace", str(tmp_path / "a.backscope"), str(tmp_path / "a.py")]) == 0
    with started("open", str(tmp_path / "a.backscope")) as (_, url):
        base, _, query = url.partition("?")
        fields = dict(part.split("=") for part in query.split("&"))
        request = urllib.request.Request(
            f"{base}api/sessions/{fields['session']}", headers={"Authorization": f"Bearer {fields['token']}"}
        )
        with urllib.request.urlopen(request) as answer:
            assert b'"status":"ok"' in answer.read()


@pytest.mark.skipif(not page.is_built(), reason="the page is not built here; tests/packaging builds it")
def test_a_recording_opens_in_the_page():
    with backscope.record() as trace:
        torch.ones(2, requires_grad=True).sum().backward()
    shown = trace.show(browser=False, wait=False)
    try:
        base, _, query = shown.url.partition("?")
        fields = dict(part.split("=") for part in query.split("&"))
        request = urllib.request.Request(
            f"{base}api/sessions/{fields['session']}", headers={"Authorization": f"Bearer {fields['token']}"}
        )
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer)["events"] == len(trace.events)
    finally:
        shown.close()


def test_sessions_of_traces_are_finished():
    assert not Session.recorded([b"{}"], "ok").running


def test_every_command_of_the_debugger_is_documented():
    from backscope_server.terminal.repl import COMMANDS

    text = (ROOMS / "terminal" / "README.md").read_text(encoding="utf-8")
    assert [command.name for command in COMMANDS if f"`{command.name}" not in text] == []
