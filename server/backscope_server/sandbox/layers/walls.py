"""Applies the layers to a child of a zygote, in the order that they require."""

from __future__ import annotations

import os

import msgspec

from backscope_server.sandbox.layers import (
    capabilities,
    descriptors,
    identity,
    landlock,
    namespaces,
    prctl,
    priority,
    rlimits,
    seccomp,
    syscalls,
)
from backscope_server.sandbox.layers.bpf import Instruction


class Walls(msgspec.Struct, kw_only=True):
    """The layers for children on this system, and the facts that they need, which the zygote collects.

    `user` is the first of the ids for children; `landlock` its version, 0 if there is none; `seccomp` the filter;
    `executable_memory_refused` says whether the kernel can do so; `namespaces` why there are none, None if there are;
    `mapped` is the address space of the zygote, bytes, and `zygote` its process id in its namespace.
    """

    user: int | None
    landlock: int
    seccomp: list[Instruction] | None
    executable_memory_refused: bool
    namespaces: str | None
    mapped: int = 0
    zygote: int = -1

    @classmethod
    def of_this_system(cls, namespaces: str | None, without: tuple[str, ...] = ()) -> Walls:
        """Return every layer that this system has, except those named in `without`."""
        architecture = syscalls.here()
        filtered = architecture is not None and "seccomp" not in without and seccomp.available()
        return cls(
            user=identity.base(),
            landlock=0 if "landlock" in without else landlock.abi(),
            seccomp=seccomp.program(architecture) if architecture is not None and filtered else None,
            executable_memory_refused="executable memory" not in without and prctl.has_mdwe(),
            namespaces=namespaces,
        )

    def apply_to_zygote(self) -> None:
        """Give up what the zygote does not need once everything is loaded; its children inherit this.

        Raises: OSError.
        """
        if self.namespaces is None:
            namespaces.enter()
        capabilities.leave_keyring()
        if self.user is None:
            capabilities.drop()
        else:  # KILL, because the kernel checks whether a dying parent may end its child.
            capabilities.drop(keep=(capabilities.KILL, capabilities.SETUID, capabilities.SETGID))
        prctl.no_new_privileges()
        prctl.make_undumpable()
        if self.landlock:
            landlock.restrict(self.landlock)
        self.zygote = os.getpid()

    def apply_to_child(self, pipes: tuple[int, int, int], *, slot: int, cpu_seconds: int, memory_bytes: int) -> None:
        """Apply every layer to this process, a child; all code that runs afterwards is taken to be hostile.

        Raises: OSError where a layer cannot be applied; nothing may run then.
        """
        prctl.die_with_parent(self.zygote)
        os.setpgid(0, 0)  # Not a session of its own: the scheduler would give it as much as the server.
        descriptors.keep(*pipes)
        priority.yield_to_server()
        if self.user is not None:
            identity.become(self.user + slot)
        prctl.no_new_privileges()
        if self.landlock:  # A domain of its own, out of which it reaches no other child.
            landlock.restrict(self.landlock)
        rlimits.apply(cpu_seconds=cpu_seconds, address_space=self.mapped + memory_bytes)
        prctl.make_undumpable()
        prctl.die_with_parent(self.zygote)
        if self.executable_memory_refused:
            prctl.refuse_executable_memory()
        if self.seccomp is not None:
            seccomp.install(self.seccomp, os.getpid())
