"""Protects fresh_machine.py: the new machine has this one's package settings, and is removed also when interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def clients(load: Callable[[str], ModuleType]) -> Any:
    return load("tests/package_clients.py")


@pytest.fixture
def fresh_machine(load: Callable[[str], ModuleType], root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(root / "tests"))
    return load("tests/fresh_machine.py")


def test_apt_reaches_the_same_sources(clients: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "apt-config": 'Acquire "";\nAcquire::http::Proxy "http://127.0.0.1:3142";\n'
        'Acquire::Check-Valid-Until "false";\nAcquire::Languages:: "none";\nAcquire::IndexTargets::deb "0";\n',
        "apt-get": "http://127.0.0.1/debian/ main\nhttp://127.0.0.1/debian/ contrib\nhttp://127.0.0.1/node/ main\n"
        "http://127.0.0.1/debian/ main\n",
    }
    monkeypatch.setattr(clients, "_output", lambda *command: said[command[0]])
    assert clients.apt_options() == [
        'Acquire::http::Proxy "http://127.0.0.1:3142"',
        'Acquire::Check-Valid-Until "false"',
    ]
    assert clients.mirrors("trixie") == ["deb http://127.0.0.1/debian/ trixie main"]


def test_variables_of_package_clients_are_taken_over_and_no_others(
    clients: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = {
        "PIP_INDEX_URL": "a",
        "https_proxy": "b",
        "NPM_CONFIG_REGISTRY": "c",
        "SSL_CERT_FILE": "d",
        "UV_INDEX": "e",
    }
    monkeypatch.setattr(clients.os, "environ", {**taken, "HOME": "/home/x", "SECRET": "y", "PIPELINE": "z"})
    assert clients.variables() == taken


def test_settings_of_pip_and_npm_are_copied(clients: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    for path, text in ((".config/pip/pip.conf", "[global]\n"), (".npmrc", "registry=http://127.0.0.1/\n")):
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    (root / "root").mkdir(parents=True)
    monkeypatch.setattr(clients.Path, "home", lambda: home)
    monkeypatch.setattr(clients, "_global_npmrc", lambda: None)
    clients.copy_settings(root)
    assert (root / "root/.config/pip/pip.conf").read_text() == "[global]\n"
    assert (root / "root/.npmrc").read_text() == "registry=http://127.0.0.1/\n"
    assert (root / "root/.npmrc").stat().st_mode & 0o077 == 0


def test_what_is_missing_is_said(fresh_machine: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(fresh_machine.os, "geteuid", lambda: 1000)
    assert fresh_machine.main([]) == 1
    assert "made by root" in capsys.readouterr().err
    monkeypatch.setattr(fresh_machine.os, "geteuid", lambda: 0)
    monkeypatch.setattr(fresh_machine.shutil, "which", lambda name: None if name == "mmdebstrap" else name)
    assert fresh_machine.main([]) == 1
    assert "apt-get install mmdebstrap" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="it is made on Linux alone")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_of_one_that_was_interrupted(root: Path, tmp_path: Path, ending: int) -> None:
    """The signal arrives while mmdebstrap makes the root; a script that never ends takes the place of mmdebstrap."""
    stand_in = tmp_path / "bin" / "mmdebstrap"
    stand_in.parent.mkdir()
    stand_in.write_text(
        f"#!/bin/sh\nfor root in {tmp_path}/within/*; do mkdir $root/etc; done\n"
        f"touch {tmp_path}/begun\nexec sleep 1000\n"
    )
    stand_in.chmod(0o755)
    (tmp_path / "bin" / "unshare").write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    (tmp_path / "bin" / "unshare").chmod(0o755)
    (tmp_path / "within").mkdir()
    run = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # A shell's background has none.
        f"import os, runpy, sys; sys.path.insert(0, {str(root / 'tests')!r}); os.geteuid = lambda: 0; "
        f"os.environ['PATH'] = {str(tmp_path / 'bin')!r} + ':' + os.environ['PATH']; "
        f"sys.argv = ['fresh_machine.py', 'server', '--within', {str(tmp_path / 'within')!r}]; "
        "runpy.run_path(sys.path[0] + '/fresh_machine.py', run_name='__main__')"
    )
    with subprocess.Popen([sys.executable, "-c", run], stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(ending)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 128 + ending
    assert "Traceback" not in said
    assert list((tmp_path / "within").iterdir()) == []
