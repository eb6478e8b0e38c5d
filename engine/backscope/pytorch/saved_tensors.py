"""What nodes save: read right after their op, without `saved_tensors_hooks`, which would switch version checks off."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch.autograd import graph

from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities, grad_fn_of, version_of
from backscope.pytorch.patches import Patches
from backscope.recorder import narration as say
from backscope.recorder.narration.code_location import Location
from backscope.runtime.passive import callable_name


class Packed(NamedTuple):
    """What a hook packed: its name, the value, what it gave in place of the tensor, and where that tensor is."""

    hook: str
    value: Any  # Any: a captured value.
    kept: say.Shown
    place: tuple[object, ...]


class SavedTensors:
    """Reads what nodes saved, and records the hooks that pack it and checkpoints.

    `recomputing` are the checkpoints whose function runs again, innermost last.
    """

    def __init__(self, context: Context, identities: Identities) -> None:
        self.context = context
        self.identities = identities
        self.recomputing: list[int] = []
        self._hooks: list[Any] = []
        self._packed: list[Packed] = []
        self._checkpoints: dict[int, int] = {}
        self._inside: list[int] = []
        self._seen: dict[int, Any] = {}

    # Any: nodes and attributes of PyTorch's.
    def of(
        self,
        node: Any,
        outs: list[torch.Tensor],
        line: Location,
        packed: list[Packed],
        given: dict[str, torch.Tensor] | None = None,
    ) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
        """Return what a NodeInfo has as saved tensors and as attributes.

        Under hooks that pack, reading would call these; then slots have what was packed: of the arguments `given` by
        their names, or else in the order of packing.
        """
        kept: list[tuple[Any, ...]] = []
        attributes: dict[str, Any] = {}
        hooked = bool(self._hooks) or _have_hooks()
        slots = _slots(node)
        of_hooks = _by_slot([slot for slot, raw in slots if raw is not None], packed, given or {})
        for slot, raw in slots:
            if raw is None:
                with self.context.quiet:
                    attributes[slot.removeprefix("_saved_")] = say.frozen(getattr(node, slot))
                continue
            if hooked:
                told = of_hooks.get(slot)
                if told is not None:
                    size = int(getattr(told.value, "nbytes", 0))
                    is_output = any(_place(o) == told.place for o in outs)
                    kept.append((slot, None, self.identities.identity(), 0, size, is_output))
                if told is not None or _is_packed(getattr(node, raw)):
                    continue
            with self.context.quiet:
                held = getattr(node, slot)
            many = isinstance(held, (list, tuple))
            for k, t in enumerate(held if many else [held]):
                if isinstance(t, torch.Tensor):
                    kept.append((f"{slot}[{k}]" if many else slot, *self._saved(t, node, outs)))
        return kept, attributes

    def _saved(self, t: torch.Tensor, node: Any, outs: list[torch.Tensor]) -> tuple[Any, ...]:
        with self.context.quiet:
            token = self.identities.token_of(t)
            is_output = grad_fn_of(t) is node or any(o is t for o in outs)
            if token is None:
                for o in outs:
                    if same_memory(o, t):
                        token, is_output = self.identities.token_of(o), True
            size = t.numel() * t.element_size()
        number, storage = (None, self.identities.storage(t)) if token is None else (token.tensor, token.storage)
        return number, storage, version_of(t), size, is_output

    def reentrant_entered(self, function: Callable[..., Any], line: Location) -> int:
        """Record that a function begins to run under a reentrant checkpoint; return its number."""
        number = self.identities.identity()
        self.context.add(say.checkpoint_entered, line, number, callable_name(function), True, False)
        return number

    def take_packed(self) -> list[Any]:
        """Return what was packed since the last op, which the op that runs now saves."""
        packed, self._packed = self._packed, []
        return packed

    def tell_packed(
        self, node: int, slots: list[str], packed: list[Packed], line: Location, given: dict[str, torch.Tensor]
    ) -> None:
        """Record the hooks that packed what a node saves."""
        for slot, one in _by_slot(slots, packed, given).items():
            self.context.add(say.saved_tensor_packed, line, node, slot, one.hook, one.value, one.kept)

    def install(
        self,
        patches: Patches,
        late: Callable[[torch.Tensor], list[Any] | None],
        aside: Callable[[], AbstractContextManager[None]],
        forget: Callable[[], None],
    ) -> None:
        """Follow the hooks that the program enters.

        `late` returns the list of the op that a packed result is of; that op is kept `aside` while the hook runs, and
        `forget` is called where it does not return because the hook changed the result.
        """
        enter, leave = graph.saved_tensors_hooks.__enter__, graph.saved_tensors_hooks.__exit__
        self._late, self._aside, self._forget = late, aside, forget

        def entered(hooks: Any) -> Any:
            if not self.context.listens():
                return enter(hooks)
            plain = hooks.pack_hook, hooks.unpack_hook
            self._enter(hooks)
            if type(hooks).__name__ == "_recomputation_hook":
                self._seen[id(hooks)] = seen = self.context.ops_seen.in_program()
                seen.__enter__()
            try:
                return enter(hooks)
            except BaseException:  # Hooks are switched off.
                self._hooks = [one for one in self._hooks if one is not hooks]
                raise
            finally:
                hooks.pack_hook, hooks.unpack_hook = plain  # The program may enter the pair again.

        def left(hooks: Any, *error: Any) -> Any:
            out = leave(hooks, *error)
            if (seen := self._seen.pop(id(hooks), None)) is not None:
                seen.__exit__(None, None, None)
            if self.context.listens():
                self._leave(hooks)
            return out

        patches.replace(graph.saved_tensors_hooks, "__enter__", entered)
        patches.replace(graph.saved_tensors_hooks, "__exit__", left)

    @guarded
    def _enter(self, hooks: Any) -> None:
        self.context.resolve()
        line = self.context.location()
        kind = type(hooks).__name__
        if kind == "_checkpoint_hook":
            number = self.identities.identity()
            self._checkpoints[id(_cell(hooks.unpack_hook))] = number
            self._inside.append(number)
            function = callable_name(_local("fn"))
            self.context.add(say.checkpoint_entered, line, number, function, False, False)
        elif kind == "_recomputation_hook":
            number = self._checkpoints.get(id(_local("frame")), 0)
            self._inside.append(number)
            self.recomputing.append(number)
            passes = self.context.passes
            self.context.add(say.recomputation_started, line, passes.call, number, passes.node)
        self._hooks.append(hooks)
        self._wrap(hooks)

    @guarded
    def _leave(self, hooks: Any) -> None:
        self.context.resolve()
        line = self.context.location()
        if any(one is hooks for one in self._hooks):
            self._hooks = [one for one in self._hooks if one is not hooks]
        kind = type(hooks).__name__
        if kind == "_checkpoint_hook":
            self.context.add(say.checkpoint_left, line, self._inside.pop(), [])
        elif kind == "_recomputation_hook":
            self.recomputing.pop()
            self.context.add(say.recomputation_finished, line, self._inside.pop())

    def _wrap(self, hooks: Any) -> None:
        """Have the hooks of a pair recorded when they run."""
        pack, unpack = hooks.pack_hook, hooks.unpack_hook

        def packed(t: Any) -> Any:
            value = self._value(t)
            late, before = self._of_op(t), self._version(t)
            others, self._packed = self._packed, []  # What ops in the hook save is theirs.
            try:
                with nullcontext() if late is None else self._aside():
                    kept = pack(t)
            finally:
                self._packed = others
            if late is not None and self._version(t) != before:
                self._forget()
            self._tell_pack(callable_name(pack), t, value, kept, late)
            return kept

        def unpacked(kept: Any) -> Any:
            t = unpack(kept)
            self._tell_unpack(callable_name(unpack), t)
            return t

        hooks.pack_hook, hooks.unpack_hook = packed, unpacked

    @guarded
    def _of_op(self, t: Any) -> list[Any] | None:
        """Return the list of the op that ran and that a packed tensor is a result of."""
        with self.context.quiet:
            return self._late(t)

    @guarded
    def _version(self, t: torch.Tensor) -> int:
        with self.context.quiet:
            return version_of(t)

    @guarded
    def _value(self, t: Any) -> Any:
        return self.identities.values.of(t)

    @guarded
    def _tell_pack(self, hook: str, t: torch.Tensor, value: Any, kept: Any, late: list[Any] | None) -> None:
        """Keep what was packed for its op: inputs are saved before the op runs below autograd, outputs after."""
        with self.context.quiet:
            one = Packed(hook, value, say.Shown(say.text(kept)), _place(t))
        (self._packed if late is None else late).append(one)

    @guarded
    def _tell_unpack(self, hook: str, t: Any) -> None:
        passes = self.context.passes
        if passes.node is not None and isinstance(t, torch.Tensor):
            line, value = self.context.location(), self.identities.values.of(t)
            self.context.add(say.saved_tensor_unpacked, line, passes.call, passes.node, "_saved", hook, value)


def _place(t: torch.Tensor) -> tuple[object, ...]:
    """Return what two tensors have in common that are the same elements in memory."""
    try:
        return t.data_ptr(), t.shape, t.stride()
    except RuntimeError:  # Without memory.
        return id(t), t.shape, ()


def _by_slot(slots: list[str], packed: list[Packed], given: dict[str, torch.Tensor]) -> dict[str, Packed]:
    """Return what was packed by the slots of the node that saves it, in the order of packing."""
    found: dict[str, Packed] = {}
    places = {f"_saved_{name}": _place(t) for name, t in given.items()}
    left = list(slots)
    for one in packed:
        slot = next((slot for slot in left if places.get(slot) == one.place), None)
        if slot is None:
            slot = next((slot for slot in left if slot not in places), None) or next(iter(left), None)
        if slot is not None:
            left.remove(slot)
            found[slot] = one
    return found


def _slots(node: Any) -> list[tuple[str, str | None]]:
    """Return the attributes of a node that say what it saved, and of those that are tensors the raw ones."""
    kind = type(node)
    if issubclass(kind, torch.autograd.function.BackwardCFunction):
        return [("saved_tensors", "_raw_saved_tensors")]
    found: list[tuple[str, str | None]] = []
    for name in dir(kind):
        if name.startswith("_saved_"):
            raw = f"_raw{name}"
            found.append((name, raw if hasattr(kind, raw) else None))
    return found


def _have_hooks() -> bool:
    """Return True under hooks that pack, also those that the program entered before the recording."""
    top = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)  # Older versions have none.
    return top is not None and top(True) is not None


# Any: one of a node's saved tensors, or several.
def _is_packed(raw: Any) -> bool:
    """Return True for what hooks have packed: not the numbers among it; older versions do not say."""
    return any(getattr(one, "unpack_hook", True) is not None for one in (raw if isinstance(raw, tuple) else (raw,)))


def same_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return True for two tensors with the same elements in memory."""
    try:
        if not one.numel() or one.shape != other.shape or one.stride() != other.stride():
            return False
        return bool(one.data_ptr() == other.data_ptr())
    except RuntimeError:  # Without memory.
        return False


def _local(name: str) -> Any:
    """Return a variable of the function of torch.utils.checkpoint that is running."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if "checkpoint" in frame.f_code.co_filename and name in frame.f_code.co_varnames + frame.f_code.co_freevars:
            return frame.f_locals.get(name)
        frame = frame.f_back
    return None


def _cell(function: Any) -> Any:
    """Return the _CheckpointFrame that a hook of torch.utils.checkpoint refers to."""
    for cell in getattr(function, "__closure__", None) or ():
        if type(cell.cell_contents).__name__ == "_CheckpointFrame":
            return cell.cell_contents
    return None
