"""Reads /proc for a tree of processes: their ids, users and memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """A process; `started` distinguishes it from a later one with the same id."""

    pid: int
    parent: int
    user: int
    started: int


def everything() -> dict[int, Process]:
    """Return every process of the machine that is not a zombie, by its id."""
    found: dict[int, Process] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                user = os.stat(f"/proc/{name}").st_uid
                if user == 0:  # root owns the folder of a process that cannot be inspected, whatever its user.
                    status = Path(f"/proc/{name}/status").read_text()
                    user = int(status.partition("\nUid:")[2].split()[1])
            except (OSError, IndexError):
                continue
            if fields[0] != "Z":
                found[int(name)] = Process(int(name), int(fields[1]), user, int(fields[19]))
    return found


def below(pid: int) -> set[Process]:
    """Return all descendants of a process."""
    table = everything()
    found: set[Process] = set()
    generation = {pid}
    while generation:
        children = {process for process in table.values() if process.parent in generation}
        found |= children
        generation = {process.pid for process in children}
    return found


def within(pid: int) -> int:
    """Return the id that a process has in its own namespace."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nNSpid:")[2].partition("\n")[0].split()[-1])


def private(pid: int) -> int:
    """Return the memory that a process shares with no other one, bytes."""
    fields = Path(f"/proc/{pid}/smaps_rollup").read_text().split()
    return 1024 * sum(int(fields[fields.index(f"Private_{kind}:") + 1]) for kind in ("Clean", "Dirty"))


def lasting(users: range) -> list[str]:
    """Return the objects of these users that outlive processes: shared memory, queues, semaphores of System V."""
    found = []
    for kind in ("shm", "msg", "sem"):
        table = Path("/proc/sysvipc", kind)
        head, *rows = [line.split() for line in table.read_text().splitlines()] if table.exists() else [[]]
        found += [f"{kind} {row[1]}" for row in rows if int(row[head.index("uid")]) in users]
    return found


def memory(pid: int) -> int:
    """Return the anonymous memory of a process, bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nRssAnon:")[2].split()[0]) * 1024
