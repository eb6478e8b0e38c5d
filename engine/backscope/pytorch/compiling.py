"""Has compiled functions run eagerly while a recording goes on: what the compiler makes has no ops to be seen."""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any

import torch

from backscope.pytorch.context import Context, guarded
from backscope.pytorch.patches import Patches
from backscope.recorder import narration as say
from backscope.recorder.journal import LOST

SAID = (
    "torch.compile() has no effect in this recording: what it gives runs eagerly, op by op, until the recording ends. "
    "Its results may differ in the last digits from those of compiled code."
)


class Compiling:
    """Holds torch.compile() off, and says so."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._stance: Any = None
        self._said = False

    def install(self, patches: Patches) -> None:
        """Hold the compiler off where it is loaded, and when the program first asks for it."""
        if "torch._dynamo" in sys.modules:
            self._hold_off()
        plain = torch.compile

        @wraps(plain)
        def compile_(*args: Any, **kwargs: Any) -> Any:
            found = plain(*args, **kwargs)
            if self.context.listens():
                self._hold_off()
                self.say()
            return found

        patches.replace(torch, "compile", compile_)
        patches.later(self._let_go)

    @guarded
    def say(self) -> None:
        """Record that compiled functions run eagerly, once."""
        if not self._said:
            self._said = True
            self.context.add(say.warning_raised, self.context.code.line(), LOST, SAID)

    @guarded
    def _hold_off(self) -> None:
        if self._stance is None and hasattr(torch.compiler, "set_stance"):
            self._stance = torch.compiler.set_stance("force_eager")
            self._stance.__enter__()

    def _let_go(self) -> None:
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None
