"""Records custom Functions: each is one op, whatever runs inside of it."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from backscope.pytorch import narration as tell
from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities, grad_fn_of, name_of
from backscope.pytorch.ops import SHOWN
from backscope.pytorch.patches import Patches
from backscope.pytorch.saved_tensors import SavedTensors
from backscope.recorder import narration as say
from backscope.runtime.passive import class_name


class CustomFunctions:
    """Records calls of `apply` of the program's subclasses of torch.autograd.Function."""

    def __init__(self, context: Context, identities: Identities, saved: SavedTensors) -> None:
        self.context = context
        self.identities = identities
        self.saved = saved
        self._checkpoints: dict[int, int] = {}
        """Reentrant checkpoints by the number of their node."""

    def install(self, patches: Patches) -> None:
        """Take over Function.apply."""
        plain = torch.autograd.Function.__dict__["apply"]

        def apply(kind: Any, *args: Any, **kwargs: Any) -> Any:
            context = self.context
            if not context.listens() or kwargs:
                return plain.__func__(kind, *args, **kwargs)
            if kind.__module__.startswith("torch.") and kind.__name__ not in SHOWN:
                if kind.__name__ != "CheckpointFunction":
                    return plain.__func__(kind, *args)
                number = self._checkpoint(args)
                try:
                    out = plain.__func__(kind, *args)
                finally:
                    self._checkpointed(number)
                self._node_of_checkpoint(number, out)
                return out
            self._begin()
            line = context.location()
            given = self._given(kind, args, line) or []
            context.functions += 1
            context.api.append("apply")
            try:
                out = plain.__func__(kind, *args)
            finally:
                context.api.pop()
                context.functions -= 1
            self._applied(kind, given, out, line)
            context.stop_point()
            return out

        patches.replace(torch.autograd.Function, "apply", classmethod(apply))
        formula = BackwardCFunction.apply

        def backward(node: Any, *args: Any) -> Any:
            if not self.context.listens():
                return formula(node, *args)
            checkpoint = self._recomputing(node)
            try:
                with self.context.ops_seen.in_program():
                    return formula(node, *args)
            finally:
                if checkpoint is not None:
                    self._recomputed(checkpoint)

        patches.replace(BackwardCFunction, "apply", backward)

    @guarded
    def _checkpoint(self, args: tuple[Any, ...]) -> int:
        self._begin()
        return self.saved.reentrant_entered(args[0], self.context.location())

    @guarded
    def _checkpointed(self, number: int | None) -> None:
        self.context.resolve()
        self.context.add(say.checkpoint_left, self.context.location(), number, [])

    @guarded
    def _node_of_checkpoint(self, number: int | None, out: Any) -> None:
        outs = [o for o in (out if isinstance(out, tuple) else (out,)) if isinstance(o, torch.Tensor)]
        with self.context.quiet:
            node = next((node for o in outs if (node := grad_fn_of(o)) is not None), None)
        if node is not None and number is not None:
            self._checkpoints[self.identities.node_id(node, self.context.location())] = number

    @guarded
    def _recomputing(self, node: Any) -> int | None:
        """Record that the function of a reentrant checkpoint runs again, if this node is of one."""
        token = self.identities.life(node)
        number = None if token is None else self._checkpoints.get(token.node)
        if number is not None:
            passes = self.context.passes
            line = self.context.location()
            self.context.add(say.recomputation_started, line, passes.call, number, passes.node)
        return number

    @guarded
    def _recomputed(self, number: int) -> None:
        self.context.resolve()
        self.context.add(say.recomputation_finished, self.context.location(), number)

    @guarded
    def _begin(self) -> None:
        self.context.resolve()
        self.context.look()

    @guarded
    def _given(self, kind: Any, args: tuple[Any, ...], line: Any) -> list[tuple[str, int | None, Any]]:
        code = getattr(kind.forward, "__code__", None)
        names = [] if code is None else list(code.co_varnames[: code.co_argcount])
        if kind.setup_context is torch.autograd.function._SingleLevelFunction.setup_context:
            names = names[1:]
        found: list[tuple[str, int | None, Any]] = []
        for i, value in enumerate(args):
            name = names[i] if i < len(names) else f"argument{i}"
            if isinstance(value, torch.Tensor):
                found.append((name, self.identities.token(value, line).tensor, None))
            else:
                found.append((name, None, say.frozen(value)))
        return found

    @guarded
    def _applied(self, kind: Any, given: list[tuple[str, int | None, Any]], out: Any, line: Any) -> None:
        context, identities = self.context, self.identities
        context.resolve()
        outs = [o for o in (out if isinstance(out, tuple) else (out,)) if isinstance(o, torch.Tensor)]
        with torch._C.DisableTorchFunction():
            node = next((node for o in outs if (node := grad_fn_of(o)) is not None), None)
            made: tuple[Any, ...] | None = None
            if node is not None and identities.life(node) is None:
                edges = identities.edges(node, line)
                number = identities.node_token(node, line).node
                kept, _ = self.saved.of(node, outs, line, [])
                made = number, name_of(node), identities.order(node), *edges, kept, {}
            infos = [identities.info(o, identities.token_of(o) or identities.introduce(o, line)) for o in outs]
        numbers = {tensor for _, tensor, _ in given}
        in_place = any(info[0] in numbers for info in infos)
        is_view = any(info[5] is not None for info in infos)
        during = context.passes.node
        context.add(tell.op_applied, line, class_name(kind), given, infos, made, in_place, is_view, during)
