"""Recording what surrounds the program's ops: hooks that come and go, and grad modes."""

from __future__ import annotations

from typing import Any

from backscope.autograd.modes.grad_mode import mode
from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.saved_tensor_events import Retention
from backscope.tensor.tensor import Tensor


class Surroundings(Retention):
    """Each method is something that the engine tells."""

    __slots__ = ()

    def function_entered(self) -> None:
        """forward() of a custom Function begins."""
        self.inside += 1

    def function_left(self) -> None:
        """forward() of a custom Function is over."""
        self.inside -= 1

    @guarded
    def hook_registered(self, where: str, hook: str, tensor: Tensor | None, node: Any) -> None:
        """The user hung a hook on a tensor (`node` is its grad_fn, None for a leaf) or on a node."""
        self._hung(say.hook_registered, where, hook, tensor, node)

    @guarded
    def hook_removed(self, where: str, hook: str, tensor: Tensor | None, node: Any) -> None:
        """The user took a hook away that hook_registered told of."""
        self._hung(say.hook_removed, where, hook, tensor, node)

    def _hung(self, build: Any, where: str, hook: str, tensor: Tensor | None, node: Any) -> None:
        line = self.line()
        on = None if tensor is None else self.token(tensor, line, "tensor").tensor
        self.add(build, line, where, hook, on, None if node is None else self.node_id(node, line))

    def tell_mode(self, line: int | None) -> None:
        """Tell of the grad mode where it is another than before; the mode within a backward pass is the pass's own."""
        if self.calls:
            return
        name = "function" if self.inside else "inference" if mode.inference else "grad" if mode.enabled else "no_grad"
        if name != self.grad_mode:
            self.grad_mode = name
            self.add(say.grad_mode_changed, line, name)
