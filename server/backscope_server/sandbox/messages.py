"""What the server and the zygote say to each other: one JSON message per packet of a Unix socket pair."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

MAX_MESSAGE = 16_384
"""Longest message, bytes: an error text is cut to fit."""


class Boot(msgspec.Struct, frozen=True, kw_only=True):
    """The zygote's only argument: its socket, where to import from, and the module that runs programs."""

    socket: int
    path: list[str]
    program: str


class Spawn(msgspec.Struct, frozen=True, kw_only=True, tag="spawn"):
    """Server to zygote, with three descriptors: fork a child (control pipe, event pipe, diagnostics pipe).

    `slot` is unique among the live children of a server; units: `cpu_seconds` of processor time, `memory_bytes` of
    address space over what the zygote itself has mapped.
    """

    child: int
    slot: int
    cpu_seconds: int
    memory_bytes: int


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """Zygote to server, once: everything is preloaded; `versions` names what programs run on."""

    versions: dict[str, str]


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """Zygote to server: the zygote cannot work, or (with `child`) that child could not be forked."""

    child: int | None
    reason: str


class Spawned(msgspec.Struct, frozen=True, kw_only=True, tag="spawned"):
    """Zygote to server, with the child's pidfd: the child exists."""

    child: int
    pid: int


class Exited(msgspec.Struct, frozen=True, kw_only=True, tag="exited"):
    """Zygote to server: the child is gone; `status` as of wait(2), `cpu_seconds` that it used."""

    child: int
    status: int
    cpu_seconds: float


Report: TypeAlias = Ready | Refused | Spawned | Exited

encode = msgspec.json.Encoder().encode
decode_boot = msgspec.json.Decoder(Boot).decode
decode_spawn = msgspec.json.Decoder(Spawn).decode
decode_report = msgspec.json.Decoder(Report).decode


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Server to child, on the control pipe: the program to run."""

    source: str
    filename: str
    seed: int


decode_job = msgspec.json.Decoder(Job).decode
