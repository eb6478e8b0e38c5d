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
        found = (a for a in self.armed if getattr(a.definition, "name", None) in (None, hook))
        self._reached.add(found, f"The hook {hook} ran.")
