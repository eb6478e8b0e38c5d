"""Protects the attacks' worth: the arena notices each kind of damage."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from itertools import count
from pathlib import Path

import armoury
import processes
import pytest
from arena import Arena, Trap


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path, "name", "canary")


def test_an_untouched_trap_reports_nothing(trap: Trap) -> None:
    assert trap.sprung() == []


def test_a_trap_notices_what_touches_it(trap: Trap) -> None:
    with socket.create_connection(("127.0.0.1", trap.port)), socket.socket(type=socket.SOCK_DGRAM) as datagram:
        datagram.sendto(b"x", ("127.0.0.1", trap.port))
        (trap.folder / "left").touch()
        trap.file.write_text("other")
        time.sleep(0.05)
        assert len(trap.sprung()) == 4


def test_a_neighbour_that_is_killed_is_noticed() -> None:
    with Arena() as arena:
        until = time.monotonic() + 60

        def kill() -> None:
            while not arena.neighbours_harmed and time.monotonic() < until:
                for process in processes.below(arena.server.pid) - arena.quiet:
                    with contextlib.suppress(ProcessLookupError):  # It may be over already.
                        os.kill(process.pid, signal.SIGKILL)
                time.sleep(0.02)

        killer = threading.Thread(target=kill)
        killer.start()
        numbers = count()
        while killer.is_alive():  # Killing a process that has no program yet is no damage.
            arena.attack({f"waits {next(numbers)}": "import select\nselect.select([], [], [], 1)\n"})
        killer.join()
        assert arena.neighbours_harmed


_ALL = ("seccomp", "executable memory", "landlock", "namespaces")
WITHOUT = [
    (("seccomp",), "p_kernel_surface"),
    (("seccomp",), "c_personality"),
    (_ALL, "c_own_machine_code"),
    (_ALL, "f_stat_and_list"),
]


@pytest.mark.parametrize("missing", sorted({missing for missing, _ in WITHOUT}), ids=" and ".join)
def test_a_missing_layer_is_noticed(missing: tuple[str, ...]) -> None:
    names = [name for layers, name in WITHOUT if layers == missing]
    with Arena(without=missing) as arena:
        arena.attack({name: armoury.programs()[name] for name in names})
        assert {name: bool(attack.breaches) for name, attack in arena.attacks.items()} == dict.fromkeys(names, True)
