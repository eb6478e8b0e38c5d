"""The messages between the server and the zygote: one JSON object per packet of a Unix socket pair."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from backscope_server.sandbox.layers.layer import Layer

MAX_MESSAGE = 16_384
"""Longest message, bytes: an error text is cut to fit."""


class Boot(msgspec.Struct, frozen=True, kw_only=True):
    """The zygote's only argument: its socket, the folders to import from, and the module that runs programs.

    `thorough` has the self-test take a second more; layers named in `without` are left out, for tests of the others.
    """

    socket: int
    path: list[str]
    program: str
    thorough: bool = False
    without: tuple[str, ...] = ()


class Spawn(msgspec.Struct, frozen=True, kw_only=True, tag="spawn"):
    """Server to zygote, with three descriptors: fork a child (control pipe, event pipe, diagnostics pipe).

    `slot` is unique among the live children of a server; units: `cpu_seconds` of processor time, `memory_bytes` of
    address space over what the zygote itself has mapped.
    """

    child: int
    slot: int
    cpu_seconds: int
    memory_bytes: int


class LimitedBoot(msgspec.Struct, frozen=True, kw_only=True):
    """The only argument of a process without a zygote: folders to import from, module, limits, the server's id."""

    path: list[str]
    program: str
    order: Spawn
    server: int


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """Zygote to server, once, with its own pidfd: everything is preloaded, and the layers are tested.

    `versions` has the versions of Python and packages that programs run on.
    """

    versions: dict[str, str]
    layers: list[Layer]


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """Zygote to server: the zygote cannot work, or (with `child`) that child could not be forked."""

    child: int | None
    reason: str


class Spawned(msgspec.Struct, frozen=True, kw_only=True, tag="spawned"):
    """Zygote to server, with the child's pidfd: the child has been forked."""

    child: int


class Exited(msgspec.Struct, frozen=True, kw_only=True, tag="exited"):
    """Zygote to server: the child has ended, with `status` as of wait(2) and `cpu_seconds` of processor time."""

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
