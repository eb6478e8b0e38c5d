"""Records the grad modes and the function transforms that ops run in."""

from __future__ import annotations

from backscope.autograd.modes.grad_mode import mode
from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.journal import Journal
from backscope.recorder.narration.code_location import Location
from backscope.recorder.passes import Passes
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener


class GradModes(Listener):
    """Records the moments whose methods it overrides.

    `grad_mode` is the mode that was recorded last; `inside` counts the calls of forward() of custom Functions that have
    not returned.
    """

    __slots__ = ("code", "grad_mode", "inside", "journal", "passes")

    def __init__(self, journal: Journal, code: UserCode, passes: Passes) -> None:
        self.journal = journal
        self.code = code
        self.passes = passes
        self.grad_mode = "grad"
        self.inside = 0

    def function_entered(self) -> None:
        """Count a call of forward() of a custom Function."""
        self.inside += 1

    def function_left(self) -> None:
        """Count the end of a call of forward() of a custom Function."""
        self.inside -= 1

    @guarded
    def transform_entered(self, transform: str, depth: int) -> None:
        """Record that a transform runs its function, at `depth` transforms inside each other."""
        self.journal.add(say.transform_entered, self.code.line(), transform, depth)

    @guarded
    def transform_left(self, depth: int) -> None:
        """Record that the transform entered last ran its function."""
        self.journal.add(say.transform_left, self.code.line(), depth)

    def record_change(self, line: Location) -> None:
        """Record the grad mode if it has changed; within a backward pass the pass sets it."""
        if self.passes.calls:
            return
        name = "function" if self.inside else "inference" if mode.inference else "grad" if mode.enabled else "no_grad"
        if name != self.grad_mode:
            self.grad_mode = name
            self.journal.add(say.grad_mode_changed, line, name)
