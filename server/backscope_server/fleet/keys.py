"""The names of everything that a fleet keeps in Redis, below one prefix."""

from __future__ import annotations

import re

_IDENTITY = re.compile(r"[A-Za-z0-9_-]{16,64}")

GROUP = "workers"
"""The consumer group of the workers at the queue."""


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
        self.queue = f"{prefix}q:run{kind}"
        """The stream of runs that wait for a worker, or are at one."""
        self.workers = f"{prefix}workers{kind}"
        """A hash: what each worker last reported of itself."""
        self.finished = f"{prefix}finished"
        """A sorted set: the finished runs by the time of their end, milliseconds."""

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
        """A sorted set: the runs of an address that are not over, each up to a time, milliseconds."""
        return f"{self.prefix}address:{address}"

    def readers(self, identity: str) -> str:
        """The channel on which gateways learn that a run has something new."""
        return f"{self.prefix}readers:{identity}"

    def worker(self, identity: str) -> str:
        """The channel on which the worker of a run learns of new commands."""
        return f"{self.prefix}worker:{identity}"
