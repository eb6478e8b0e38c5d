"""Hooks on saved tensors: a pack hook gets each tensor that a node saves, an unpack hook gives it back."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

from backscope.autograd.hooks.user_hooks import NodeHooks
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import Node, SavedNumber, gradient_edge, maker
from backscope.autograd.saved.saved_tensors import SavedList, number_tensor, result_tensor, unpack, versions_of
from backscope.ops.core.dispatch import saved_hooks
from backscope.runtime.given import Tree, Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.passive import callable_name
from backscope.runtime.process import process_wide
from backscope.tensor.tensor import Tensor, make

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

PACK_IN_PLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)
HOOKED_AFTER_FREEING = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)


Pair: TypeAlias = tuple[Callable[..., Any], Callable[..., Any]]
"""A pack hook and an unpack hook."""


class Packed:
    """A saved tensor that a pack hook packed: the object that the hook returned, and the tensor's place on the tape.

    `node` is set later where the tensor is packed before the node exists.
    """

    __slots__ = ("accumulator", "grad_fn", "handle", "hook", "is_result", "node", "output_nr", "requires_grad", "slot")
    _shared = None

    def __init__(
        self, node: Node | None, slot: str, tensor: Tensor, is_result: bool, handle: object, hook: Callable[..., Any]
    ) -> None:
        self.node: Any = None if node is None else weakref.ref(node)
        self.slot = slot
        self.is_result = is_result
        self.handle = handle
        self.hook = hook
        self.requires_grad = tensor._requires_grad
        grad_fn = tensor._grad_fn
        self.grad_fn = None if is_result and grad_fn is node else grad_fn
        self.output_nr = tensor._output_nr
        self.accumulator = gradient_edge(tensor)[0] if grad_fn is None else None

    def unpack(self) -> Value:
        """Run the unpack hook and put its tensor where the saved one was on the tape; TypeError for no tensor."""
        out = self.hook(self.handle)
        if not isinstance(out, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                + type(out).__name__
            )
        if not self.requires_grad and not out._requires_grad:
            return self._reported(out)
        read = make(out._data, out._dtype)
        read._shared = out._counter()
        read._requires_grad = self.requires_grad
        node = self.node()
        if self.requires_grad:
            read._grad_fn = node if self.is_result and self.grad_fn is None else self.grad_fn
            read._output_nr = self.output_nr
            read._accumulator = None if self.accumulator is None else weakref.ref(self.accumulator)
        return self._reported(read)

    def _reported(self, read: Tensor) -> Tensor:
        node = self.node()
        if hub.listener is not None and node is not None:
            hub.listener.unpacked(node, self.slot, callable_name(self.hook), read)
        return read

    @property
    def _data(self) -> Any:
        return self.unpack()._data


def active_pair() -> Pair | None:
    """Return the innermost pair of hooks of this thread, None where there is none."""
    me = threading.get_ident()
    return next((pair for thread, pair in reversed(saved_hooks) if thread == me), None)


def pack_tensor(node: Node | None, slot: str, tensor: Tensor, is_result: bool, pair: Pair) -> Packed:
    """Call a pack hook with a tensor that a node saves, or a node to be made; RuntimeError where it changes it."""
    pack_hook, unpack_hook = pair
    before = tensor._version
    recording = mode.enabled
    mode.enabled = False
    try:
        handle = pack_hook(tensor)
    finally:
        mode.enabled = recording
    if tensor._version != before:
        raise RuntimeError(PACK_IN_PLACE)
    if hub.listener is not None and node is not None:
        hub.listener.packed(node, slot, callable_name(pack_hook), tensor, handle)
    return Packed(node, slot, tensor, is_result, handle, unpack_hook)


def pack_inputs(op: Op, tensors: Values, args: Values, replaced: Tensor | None) -> dict[int, tuple[Packed, Any]]:
    """Pack the inputs that an in-place op will save, before it changes one of them: by slot, with the tensors."""
    pair = active_pair()
    found: dict[int, tuple[Packed, Any]] = {}
    if pair is None:
        return found
    needs = tuple([t is not None and gradient_edge(t)[0] is not None for t in tensors])
    keeps = op.plan(needs).keeps
    for k in op.unpack_order:
        position = op.slot_positions[k]
        if position is None or not keeps[k]:
            continue
        tensor = replaced if position == 0 and replaced is not None else args[position]
        if isinstance(tensor, Tensor):
            found[k] = pack_tensor(None, f"_saved_{op.slots[k]}", tensor, False, pair), tensor
    return found


def pack(node: Node, outputs: tuple[Any, ...] = (), early: dict[int, tuple[Packed, Any]] | None = None) -> None:
    """Call the innermost pack hook with each tensor that a node has just saved; `outputs` are those of its op.

    `early` is what pack_inputs() returned for the inputs.
    """
    pair = active_pair()
    if pair is None or not node.saved:
        return
    entries = list(node.saved)
    for k in range(len(entries)) if node.op is None else node.op.unpack_order:
        entry, slot = entries[k], node.slot_name(k)
        if early and k in early and entry is not None:
            entries[k], given = early[k]
            entries[k].node = weakref.ref(node)
            if hub.listener is not None:
                hub.listener.packed(node, slot, callable_name(pair[0]), given, entries[k].handle)
            continue
        if entry is None or isinstance(entry, (SavedNumber, Packed)):
            continue
        if isinstance(entry, SavedList):
            made = SavedList(())
            made.entries = tuple(
                [None if t is None else pack_tensor(node, slot, t, False, pair) for t in entry.entries]
            )
            entries[k] = made
        elif isinstance(entry, Tensor):
            entries[k] = pack_tensor(node, slot, entry, False, pair)
        else:
            result = outputs[entry.output_nr] if outputs else result_tensor(node, entry)
            entries[k] = pack_tensor(node, slot, result, True, pair)
    node.saved = tuple(entries)
    _run_stepwise(node)


def _run_stepwise(node: Node) -> None:
    """Give a node hooks, so that the engine runs it in the stepwise loop, where its unpack hooks may run."""
    if node.hooks is None:
        node.hooks = NodeHooks()


class SavedTensor:
    """The value of `grad_fn._raw_saved_<slot>`: a saved tensor on which a pair of hooks may be registered."""

    _node: Any
    _slot: int
    _index: int | None

    def __init__(self) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @classmethod
    def _of(cls, node: Node, slot: int, index: int | None) -> SavedTensor:
        made: SavedTensor = object.__new__(cls)
        made._node, made._slot, made._index = node, slot, index
        return made

    def _entry(self) -> Any:
        saved = self._node.saved
        entry = saved[self._slot] if saved else None
        return entry.entries[self._index or 0] if isinstance(entry, SavedList) else entry

    def register_hooks(self, *hooks: Tree) -> None:
        """Pack the saved tensor with the first hook now and unpack it with the second when it is needed."""
        if len(hooks) != 2 or not all(callable(h) for h in hooks):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: "
                "collections.abc.Callable) -> None\n\nInvoked with: " + ", ".join(map(repr, (self, *hooks)))
            )
        node, entry = self._node, self._entry()
        if isinstance(entry, Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        if node.saved is None:
            raise RuntimeError(HOOKED_AFTER_FREEING)
        if entry is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        is_result = not isinstance(entry, (Tensor, SavedNumber))
        tensor = self._tensor(entry)
        given = result_tensor(node, entry).detach() if is_result else tensor.detach()
        packed = pack_tensor(node, node.slot_name(self._slot), given, is_result, hooks)
        place = Packed(node, packed.slot, tensor, is_result, packed.handle, packed.hook)
        entries = list(node.saved)
        if self._index is None:
            entries[self._slot] = place
        else:
            held = entries[self._slot]
            held.entries = (*held.entries[: self._index], place, *held.entries[self._index + 1 :])
        node.saved = tuple(entries)
        _run_stepwise(node)

    def _tensor(self, entry: Value) -> Any:
        if isinstance(entry, SavedNumber):
            return number_tensor(entry.number)
        return entry if isinstance(entry, Tensor) else result_tensor(self._node, entry)

    def unpack(self) -> Value:
        """The tensor, read back as a formula reads it."""
        saved = self._node.saved
        if saved is None:
            from backscope.autograd.node import FREED_TEXT

            raise RuntimeError(FREED_TEXT)
        entry = saved[self._slot] if saved else None
        if isinstance(entry, SavedList):
            return entry.read(self._index or 0)
        value = unpack(self._node, self._slot) if saved else None
        return value if value is None or isinstance(value, Tensor) else number_tensor(value)

    # Any: a pack hook makes an object of any type of the tensor.
    @property
    def data(self) -> Any:
        """The saved tensor, or the object that a pack hook made of it."""
        entry = self._entry()
        if isinstance(entry, Packed):
            return entry.handle
        return None if entry is None else self._tensor(entry)

    @property
    def unpack_hook(self) -> Callable[[Any], Any] | None:
        """The hook that unpacks, None for none."""
        entry = self._entry()
        return entry.hook if isinstance(entry, Packed) else None


SavedTensor.__module__ = "torch._C._autograd"


class _Holder(Node):
    """In the place of a node for a tensor that a program saves by hand."""

    __slots__ = ()

    def slot_name(self, slot: int) -> str:
        """The name of the slot that pack and unpack hooks are reported with."""
        return "saved"


_new_holder = maker(_Holder)


def make_saved_tensor(tensor: Value, is_output: bool) -> SavedTensor:
    """A tensor as a node saves it, given to the innermost pack hook; a result is kept detached."""
    holder = _new_holder()
    kept = tensor.detach() if is_output else tensor
    holder.hooks, holder.attrs, holder.next, holder.next_nr = None, (), (), None
    holder.saved, holder.versions = (kept,), versions_of((kept,))
    pack(holder)
    return SavedTensor._of(holder, 0, None)


def are_saved_hooks_enabled() -> bool:
    """False inside of disable_saved_tensors_hooks."""
    return _disabled.message is None


class _Disabled(threading.local):
    message: str | None = None


_disabled = process_wide(_Disabled(), "message")


def push(pack_hook: object, unpack_hook: object) -> None:
    """Make a pair of hooks the innermost of this thread; RuntimeError where hooks are disabled."""
    if not callable(pack_hook) or not callable(unpack_hook):
        raise TypeError(
            "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types are "
            "supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\nInvoked "
            f"with: {pack_hook!r}, {unpack_hook!r}"
        )
    if _disabled.message is not None:
        raise RuntimeError(_disabled.message)
    saved_hooks.append((threading.get_ident(), (pack_hook, unpack_hook)))


def pop() -> None:
    """Remove the innermost pair of hooks of this thread."""
    me = threading.get_ident()
    for i in range(len(saved_hooks) - 1, -1, -1):
        if saved_hooks[i][0] == me:
            del saved_hooks[i]
            return


class saved_tensors_hooks:  # noqa: N801 - PyTorch's own name
    """Inside, every tensor that a node saves goes through `pack_hook`, and through `unpack_hook` when it is needed."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        push(self.pack_hook, self.unpack_hook)

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        pop()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 - PyTorch's own name
    """Inside, saved tensors are kept on the CPU, where they are anyway; `pin_memory` keeps copies of them."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack_to_cpu(tensor: Value) -> Any:
            return tensor.device, tensor.detach().clone() if pin_memory else tensor.cpu()

        def unpack_from_cpu(packed: Value) -> Any:
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack_to_cpu, unpack_from_cpu)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, saved_tensors_hooks raises RuntimeError with this message."""
    before = _disabled.message
    _disabled.message = error_message
    try:
        if active_pair() is not None:
            raise RuntimeError(error_message)
        yield
    finally:
        _disabled.message = before
