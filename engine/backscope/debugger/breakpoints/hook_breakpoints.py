"""Breakpoints on the user's hooks, all of them or those of a name."""

from __future__ import annotations

from backscope.autograd.node import Node
from backscope.debugger.breakpoints.moment_breakpoints import MomentBreakpoints
from backscope.protocol.commands import HookBreakpoint


class HookBreakpoints(MomentBreakpoints):
    """Stops after a hook ran."""

    definition = HookBreakpoint

    def hook_ran(self, where: str, node: Node | None, hook: str, *gradients: object, owner: object = None) -> None:
        """Reach the breakpoints on a hook."""
        found = (
            armed
            for armed in self.armed
            if isinstance(armed.definition, HookBreakpoint) and armed.definition.name in (None, hook)
        )
        self._reached.add(found, f"The hook {hook} ran.")
