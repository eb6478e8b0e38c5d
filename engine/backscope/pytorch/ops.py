"""Records PyTorch's ops: what runs right below autograd, and the node that autograd then makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch._ops import OpOverload

from backscope.pytorch import narration as tell
from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities, grad_fn_of, name_of, version_of
from backscope.pytorch.saved_tensors import SavedTensors, same_memory
from backscope.recorder import narration as say
from backscope.recorder.narration.code_location import Location
from backscope.runtime.aten_names import ATEN_NAMES

SHOWN = frozenset({"BackwardHookFunction"})
"""Functions of PyTorch's own that are recorded as those of the program: full backward hooks put one around a module."""

UNFILLED = frozenset(
    {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_"}
)
"""Ops with outputs that have no values yet."""

_SILENT = ("detach", "lift_fresh", "alias")
"""Ops that autograd itself calls, for instance to save an output."""
_ASKED_FOR = ("detach", "detach_", "__get__", "alias")
"""Functions of the API by which the program calls those itself."""
_OPTIONS = ("dtype", "layout", "device", "pin_memory")


class Waiting(NamedTuple):
    """An op that ran, whose outputs have no grad_fn yet."""

    func: OpOverload
    args: tuple[Any, ...]
    inputs: list[tuple[str, int | None, Any]]
    out: Any  # Any: what the op returned.
    line: Location
    mode: str
    during: int | None
    packed: list[Any]
    results: list[None]
    api: str | None


class Ops:
    """Records ops; those whose call is not over wait in `waiting`.

    `changed` has the place of the last in-place change of each storage, `stepped` the optimizer that made it, and
    `versions` the version that the last recorded change made.
    """

    def __init__(self, context: Context, identities: Identities, saved: SavedTensors) -> None:
        self.context = context
        self.identities = identities
        self.saved = saved
        self.waiting: list[Waiting] = []
        self.mode = "grad"
        self.changed: dict[int, Location] = {}
        self.stepped: dict[int, str] = {}
        self.versions: dict[int, int] = {}

    # Any: arguments and results of any op.
    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an op, and record it."""
        begun = self._begin(func, args, kwargs) if self.context.listens() else None
        out = func(*args, **kwargs)
        if begun is not None and self.context.open:
            line, mode, during, inputs = begun
            api = self.context.api[-1] if self.context.api else None
            self.waiting.append(Waiting(func, args, inputs, out, line, mode, during, self.saved.take_packed(), [], api))
        return out

    @guarded
    def _begin(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        context = self.context
        space, _, name = func._schema.name.partition("::")
        if space in ("profiler", "prim") or not (context.part.inside or context.passes.calls) or context.in_step():
            return None
        passes = context.passes
        if passes.calls and not passes.running and passes.sent is None and context.in_pass():
            return None  # What backward() does before its first node, such as ones_like.
        if passes.running and not torch.is_grad_enabled() and not self.saved.recomputing and context.in_formula():
            return None
        if name in _SILENT and (not context.api or context.api[-1] not in _ASKED_FOR):
            return None
        if not context.api and context.in_import():
            return None
        self.resolve()
        context.look()
        line = context.location()
        inputs: list[tuple[str, int | None, Any]] = []
        for argument, value in zip(func._schema.arguments, args, strict=False):
            self._input(argument.name, value, line, inputs)
        for key, value in kwargs.items():
            if value is not None and key not in _OPTIONS:
                self._input(key, value, line, inputs)
        if context.functions:
            mode = "function"
        elif torch.is_inference_mode_enabled():
            mode = "inference"
        else:
            mode = "grad" if torch.is_grad_enabled() else "no_grad"
        return line, mode, passes.sent if passes.node is None else passes.node, inputs

    # Any: an argument of an op.
    def _input(self, name: str, value: Any, line: Location, inputs: list[tuple[str, int | None, Any]]) -> None:
        if isinstance(value, torch.Tensor):
            inputs.append((name, self.identities.token(value, line).tensor, None))
        elif isinstance(value, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in value):
            inputs.extend(
                (f"{name}[{k}]", self.identities.token(x, line).tensor, None)
                for k, x in enumerate(value)
                if isinstance(x, torch.Tensor)
            )
        else:
            inputs.append((name, None, _frozen(value)))

    def packed_late(self, t: torch.Tensor) -> list[Any] | None:
        """Return what the op that waits has packed, where a tensor that is packed now is a result which it saves.

        Others are inputs of the op that comes next.
        """
        if not self.waiting:
            return None
        one = self.waiting[-1]
        for out in _tensors_in(one.out):
            node = grad_fn_of(out)
            if node is None or not same_memory(out, t):
                continue
            results = [name for name in dir(type(node)) if name.startswith(("_saved_result", "_saved_output"))]
            if len(one.results) < len(results):
                one.results.append(None)
                return one.packed
        return None

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Have the ops that wait recorded after those of a hook which packs a result of the last one.

        Forget that op where the hook raises: it does not return.
        """
        held, self.waiting = self.waiting, []
        try:
            yield
        except BaseException:
            del held[-1:]
            raise
        finally:
            self.resolve()
            self.waiting = held

    def forget_last(self) -> None:
        """Forget the op that ran last, whose call does not return."""
        if self.waiting:
            self.waiting.pop()

    @guarded
    def resolve(self) -> None:
        """Record the ops whose calls are over: only now do their outputs have a grad_fn."""
        while self.waiting:
            waiting, self.waiting = self.waiting, []
            for one in waiting:
                with torch._C.DisableTorchFunction():
                    self._record(one)

    def _record(self, one: Waiting) -> None:
        func, args, inputs, out, line = one.func, one.args, one.inputs, one.out, one.line
        identities = self.identities
        schema = func._schema
        name = schema.name.partition("::")[2]
        outs = _tensors_in(out)
        written = [
            t
            for argument, value in zip(schema.arguments, args, strict=False)
            if argument.alias_info is not None and argument.alias_info.is_write
            for t in _tensors_in(value)
        ]
        if not outs and not written:
            return
        in_place = bool(written)
        is_view = any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)
        if name in UNFILLED:
            identities.unfilled.update(identities.storage(o) for o in outs)
        if name == "detach" and one.api == "__get__":
            self._created(one, outs, "data")
            return
        if not in_place and all(t is None for _, t, _ in inputs) and all(grad_fn_of(o) is None for o in outs):
            self._created(one, outs, ATEN_NAMES.get(name, name))
            return
        wholes = [w._base for w in written if w._is_view() and w._base is not None]
        silent = one.mode in ("no_grad", "inference")
        node = None if silent else self._new_node((*wholes, *outs, *written))
        if (node is None or self.mode != "grad") and not self.context.passes.calls and one.mode != self.mode:
            self.mode = one.mode
            self.context.add(say.grad_mode_changed, line, one.mode)
        for whole in wholes if node is not None else ():
            self._rebased(whole, node, line)
            for t in written:
                own = grad_fn_of(t)
                if own is not None and own is not node:
                    self._rebased(t, own, line)
        for t in written:
            self.mutated(t, name, line)
        edges = None if node is None else identities.edges(node, line)
        infos = []
        for o in outs or written:
            token = identities.token_of(o)
            if token is None:
                token = identities.introduce(o, line)
            infos.append(identities.info(o, token))
        made: tuple[Any, ...] | None = None
        if node is not None and edges is not None:
            number = identities.node_token(node, line).node
            given = _named(one) if one.packed else {}
            kept, attributes = self.saved.of(node, outs or written, line, one.packed, given)
            made = number, name_of(node), identities.order(node), *edges, kept, attributes
        shown = ATEN_NAMES.get(name) or name.rstrip("_") + ("_" if in_place and name.endswith("_") else "")
        self.context.add(tell.op_applied, line, shown, inputs, infos, made, in_place, is_view, one.during)
        if made is not None:
            slots = [slot for slot, *_ in made[5]]
            self.saved.tell_packed(made[0], slots, one.packed, line, given)

    def _created(self, one: Waiting, outs: list[torch.Tensor], name: str) -> None:
        """Record tensors that an op made of nothing; those of an API call with an end of its own are recorded then."""
        if one.api is not None and not one.api.startswith("_"):
            return
        for o in outs:
            self.identities.token(o, one.line, name)

    def _new_node(self, tensors: tuple[torch.Tensor, ...]) -> Any:
        for t in tensors:
            node = grad_fn_of(t)
            if node is not None and self.identities.life(node) is None and not _is_of_program(node):
                return node
        return None

    # Any: a node of PyTorch's.
    def _rebased(self, t: torch.Tensor, node: Any, line: Location) -> None:
        edges = self.identities.edges(node, line)
        number = self.identities.node_token(node, line).node
        made: tuple[Any, ...] = number, name_of(node), self.identities.order(node), *edges, [], {}
        self.context.add(tell.graph_rebased, line, self.identities.token(t, line).tensor, made)

    def view_read(self, t: torch.Tensor, line: Location) -> None:
        """Record the node that PyTorch gave a view, whose base was changed, when its grad_fn was read."""
        with self.context.quiet:
            node = grad_fn_of(t) if t._is_view() else None
            if node is not None and self.identities.life(node) is None:
                self._rebased(t, node, line)

    def mutated(self, t: torch.Tensor, how: str, line: Location) -> None:
        """Record that a tensor changed in place, and so did those that share its memory: its base, `x` of `x.data`."""
        identities = self.identities
        token = identities.token(t, line)
        self.changed[token.storage] = line
        self.versions[token.storage] = version_of(t)
        self.stepped.pop(token.storage, None)
        if how not in UNFILLED:
            identities.unfilled.discard(token.storage)
        value = identities.value(t, token.storage)
        self.context.add(say.tensor_mutated, line, token.tensor, token.storage, version_of(t), how, value, None)
        for sharer in identities.sharing.others(t, token.storage):
            other = identities.token(sharer, line)
            value = identities.value(sharer, other.storage)
            self.context.add(
                say.tensor_mutated, line, other.tensor, other.storage, version_of(sharer), how, value, token.tensor
            )


# Any: a node of PyTorch's.
def _is_of_program(node: Any) -> bool:
    """Return True for the node of a custom Function that is recorded as one op: those inside have none of their own."""
    function = getattr(type(node), "_forward_cls", None)
    return function is not None and (not function.__module__.startswith("torch.") or function.__name__ in SHOWN)


def _named(one: Waiting) -> dict[str, torch.Tensor]:
    """Return the tensors that an op was given, by the names of its arguments."""
    names = [argument.name for argument in one.func._schema.arguments]
    return {name: t for name, t in zip(names, one.args, strict=False) if isinstance(t, torch.Tensor)}


# Any: an argument of an op that is no tensor.
def _frozen(value: Any) -> Any:
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout, torch.device)):
        return say.Shown(str(value))
    return say.frozen(tuple(value) if type(value) is list else value)


# Any: what an op was given or returned.
def _tensors_in(out: Any) -> list[torch.Tensor]:
    if isinstance(out, torch.Tensor):
        return [out]
    if not isinstance(out, (list, tuple)):
        return []
    found = [x for x in out if isinstance(x, torch.Tensor)]
    return found + [y for x in out if isinstance(x, (list, tuple)) for y in x if isinstance(y, torch.Tensor)]
