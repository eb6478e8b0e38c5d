"""The names of everything that a fleet keeps in Redis, below one prefix."""

from __future__ import annotations

import re

_IDENTITY = re.compile(r"[A-Za-z0-9_-]{16,64}")


def is_identity(text: str) -> bool:
    """Return whether a text may be the id of a session, or a client's key for one."""
    return _IDENTITY.fullmatch(text) is not None


class Keys:
    """The names below `prefix`; those of one run end with its id.

    What public gateways are sent is run by public workers only, whose sandbox is complete: these have their own queue.
    """

    def __init__(self, prefix: str, *, public: bool = False) -> None:
        self.prefix = prefix
        kind = ":public" if public else ""
        self.waiting = f"{prefix}q:waiting{kind}"
        """A sorted set: the runs in line, in the order of their turns."""
        self.running = f"{prefix}q:running{kind}"
        """A sorted set: the runs at workers, each up to the end of its lease, milliseconds."""
        self.paused = f"{prefix}q:paused{kind}"
        """A sorted set: those of them that are paused, since when, milliseconds."""
        self.turns = f"{prefix}q:turns{kind}"
        """A hash: the round that is served, the last one of each address in line, and how many runs it has there."""
        self.bell = f"{prefix}q:bell{kind}"
        """A list with an item for each run that may be taken, by which one idle worker wakes for each."""
        self.line_changed = f"{prefix}line{kind}"
        """The channel on which gateways learn that runs have joined or left the line."""
        self.workers = f"{prefix}workers{kind}"
        """A hash: what each worker last reported of itself."""
        self.finished = f"{prefix}finished"
        """A sorted set: the finished runs by the time of their end, milliseconds."""

    @property
    def line(self) -> list[str]:
        """Return the names that every script of the line takes first."""
        return [self.waiting, self.running, self.paused, self.turns, self.bell]

    def run(self, identity: str) -> str:
        """A hash: the order of a run, its status and its notices."""
        return f"{self.prefix}r:{identity}"

    def log(self, identity: str) -> str:
        """The stream of its events: an entry for each batch, with the seq of its last event as the entry's id."""
        return f"{self.prefix}s:{identity}"

    def commands(self, identity: str) -> str:
        """The stream of its commands."""
        return f"{self.prefix}c:{identity}"

    def answers(self, identity: str) -> str:
        """The stream of answers that a gateway has not taken yet."""
        return f"{self.prefix}a:{identity}"

    def lease(self, identity: str) -> str:
        """The token of the worker that runs it, for as long as that worker renews it."""
        return f"{self.prefix}lease:{identity}"

    def watching(self, identity: str) -> str:
        """A sorted set: the gateways with a reader, each up to a time, milliseconds."""
        return f"{self.prefix}watching:{identity}"

    def started(self, key: str) -> str:
        """The id of the run that a client started with this key."""
        return f"{self.prefix}k:{key}"

    def address(self, address: str) -> str:
        """A sorted set: the runs of an address that are not over, each up to a time, milliseconds.

        Scripts write `busy:ADDRESS` too: those of them that have a place, up to the end of their leases.
        """
        return f"{self.prefix}address:{address}"

    def result(self, name: str) -> str:
        """The id of a finished run that answers other starts of its program."""
        return f"{self.prefix}result:{name}"

    def leading(self, name: str) -> str:
        """The id of the run that is going on for all who start its program."""
        return f"{self.prefix}leading:{name}"

    def starts(self, address: str) -> str:
        """The time at which an address may start as many programs as are allowed in a minute."""
        return f"{self.prefix}starts:{address}"

    def requests(self, address: str) -> str:
        """The time at which an address may send as many requests as are allowed in a minute."""
        return f"{self.prefix}requests:{address}"

    def sockets(self, address: str) -> str:
        """A hash: how many WebSockets of an address each gateway has."""
        return f"{self.prefix}sockets:{address}"

    def readers(self, identity: str) -> str:
        """The channel on which gateways learn that a run has something new."""
        return f"{self.prefix}readers:{identity}"

    def worker(self, identity: str) -> str:
        """The channel on which the worker of a run learns of new commands."""
        return f"{self.prefix}worker:{identity}"
