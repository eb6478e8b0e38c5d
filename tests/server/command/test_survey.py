"""Protects `backscope sandbox`: it prints which layers work, and a public server starts only where they suffice."""

from __future__ import annotations

import socket

import pytest

from backscope_server.command import cli, survey
from backscope_server.sandbox.layers.layer import ALL, Layer
from backscope_server.settings import Settings

NAMES = ("rlimits", "seccomp", "landlock", "namespaces", ALL)


def layers(*missing: str) -> list[Layer]:
    return [
        Layer(name=name, works=name not in missing, found="was tried", remedy="Do this." if name in missing else "")
        for name in NAMES
    ]


@pytest.fixture
def found(monkeypatch):
    """Return a function that sets the layers that `find` returns, in place of those of this system."""

    def set_(given: list[Layer]) -> None:
        monkeypatch.setattr(survey, "find", lambda settings: given)

    return set_


def test_the_table_shows_each_layer(found, capsys):
    found(layers("landlock"))
    assert cli.main(["sandbox"]) == 0
    said = capsys.readouterr().out
    assert "works    seccomp" in said
    assert "MISSING  landlock" in said and "Do this." in said
    assert "serve --public" in said


def test_a_missing_essential_layer_is_named_and_fails(found, capsys):
    found(layers("seccomp"))
    assert cli.main(["sandbox"]) == 1
    assert "CONFIG_SECCOMP_FILTER" in capsys.readouterr().out


@pytest.mark.parametrize("missing", [("seccomp",), ("rlimits",), ("landlock", "namespaces"), (ALL,)])
def test_a_public_server_does_not_listen_without_an_essential_layer(found, capsys, monkeypatch, missing):
    found(layers(*missing))
    monkeypatch.setattr(socket.socket, "listen", lambda *_: pytest.fail("it listens"))
    assert cli.main(["serve", "--public", "--host", "0.0.0.0", "--port", "0", "--no-browser"]) == 1
    said = capsys.readouterr().err
    assert all(name in said for name in missing)


def test_a_public_server_does_not_start_with_limited_processes(monkeypatch, capsys):
    monkeypatch.setenv("BACKSCOPE_SANDBOX", "limited")
    assert cli.main(["serve", "--public", "--port", "0", "--no-browser"]) == 1
    assert "on Linux" in capsys.readouterr().err


def test_find_tests_the_layers_of_this_system(capsys):
    found = {layer.name: layer for layer in survey.find(Settings())}
    assert found["seccomp"].works and found["rlimits"].works
    assert "computing for longer" in found["rlimits"].found
    assert "a few seconds" in capsys.readouterr().err


def test_health_has_the_layers(server, new_server):
    health = server.http.get("/api/health").json()
    assert health["sandboxed"] is True
    assert health["layers"]["seccomp"] is True
    with new_server(sandbox="limited") as limited:
        health = limited.http.get("/api/health").json()
        assert health["sandboxed"] is False
        session = limited.start("print(1)")
        events, _end = limited.follow(session)
        assert events[-1]["status"] == "ok"
