"""Saved tensors: reading them back for a formula or a user, the errors when they are stale, and hooks around them."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import TracebackType
from typing import Any

from backscope.autograd.node import FREED_TEXT, Node, SavedNumber, SavedResult
from backscope.diagnose import blame
from backscope.dtype import of_number
from backscope.ops.dispatch import saved_hooks
from backscope.tensor import Tensor, make

PACK_IN_PLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)


def environment(node: Node) -> list[Any]:
    """A node's saved tensors as Tensors and its attributes, in the order in which formulas know them."""
    if node.saved is None:
        raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
    slots = [unpack(node, k) for k in range(len(node.saved))] or [None] * len(node.op.slots)
    return [*slots, *node.attrs]


def unpack(node: Node, slot: int) -> Any:
    """One saved tensor as a Tensor (a Python number stays one); an error where it was changed in place."""
    assert node.saved is not None
    entry = node.saved[slot]
    if entry is None:
        return None
    if isinstance(entry, SavedNumber):
        return entry._data
    if isinstance(entry, Packed):
        return entry.unpack()
    counter = entry._shared
    if counter is not None and counter[0] != (node.versions[slot] if node.versions else 0):
        raise modified_error(node, slot)
    return result_tensor(node, entry) if isinstance(entry, SavedResult) else entry


def result_tensor(node: Node, entry: SavedResult) -> Any:
    """A node's own output as a Tensor again, attached to the node."""
    out = make(entry._data, entry._dtype)
    out._shared = entry._shared
    out._requires_grad = True
    out._grad_fn = node
    out._output_nr = entry.output_nr if node.multi else None
    return out


def short_name(name: str) -> str:
    """A node's name as error texts have it: `Add` for AddBackward0."""
    return re.sub(r"Backward\d*$", "", name)


def modified_error(node: Node, slot: int) -> RuntimeError:
    """PyTorch's error for a saved tensor that was changed in place after it was saved."""
    assert node.saved is not None
    entry = node.saved[slot]
    expected = node.versions[slot] if node.versions else 0
    producer = node if isinstance(entry, SavedResult) else entry._node()
    number = entry.output_nr if isinstance(entry, SavedResult) else (entry._output_nr or 0)
    kind = entry._dtype.type_name
    made_by = f", which is output {number} of {short_name(producer.name())}," if producer is not None else ""
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{kind}Tensor {list(entry._data.shape)}]{made_by} is at version {entry._shared[0]}; expected version "
        f"{expected} instead. Hint: enable anomaly detection to find the operation that failed to compute its "
        "gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    blamed: RuntimeError = blame(
        error, "modified", node=node, slot=node.op.slots[slot], is_output=isinstance(entry, SavedResult)
    )
    return blamed


def read_slot(node: Node, slot: str) -> Any:
    """What `grad_fn._saved_<slot>` shows: a tensor, or an argument of the op."""
    op = node.op
    if op is None:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{slot}'")
    if slot in op.slots:
        k = op.slots.index(slot)
        if node.saved is None:
            raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
        value = unpack(node, k) if node.saved else None
        return value if value is None or isinstance(value, Tensor) else _number_tensor(value)
    name, part = _described(slot)
    if part is not None and name in op.attrs:
        return node.attrs[op.attrs.index(name)][part]
    if name in op.attrs:
        value = node.attrs[op.attrs.index(name)]
        if value is None and slot.endswith("_opt"):
            return (0,)
        return unsigned(value) if "dim" in slot or slot == "index" else value
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{slot}'")


def _described(slot: str) -> tuple[str, int | None]:
    """The attribute behind `X_sym_sizes`, `X_sym_strides` or `X_sym_argsize_N`, and which of its numbers is meant."""
    found = re.fullmatch(r"(\w+)_sym_argsize_(minus_)?(\d+)", slot)
    if found is not None:
        number = int(found[3])
        return found[1] + "_shape", -number if found[2] else number
    return re.sub(r"_sym_sizes(_opt)?$", "_shape", slot).replace("_sym_strides", "_strides"), None


def unsigned(value: Any) -> Any:
    """Dims as PyTorch's attributes show them: a negative one wraps around 2**64."""
    if isinstance(value, (tuple, list)):
        return tuple(unsigned(v) for v in value)
    return value % 2**64 if isinstance(value, int) and not isinstance(value, bool) and value < 0 else value


def _number_tensor(value: Any) -> Any:
    kind = of_number(value)
    kind = kind if kind.name in ("bool", "int64") else {"float32": _double()}.get(kind.name, kind)
    return make(kind.scalar(value), kind)


def _double() -> Any:
    from backscope.dtype import float64

    return float64


class Packed:
    """A saved tensor that a user's pack hook has turned into something else."""

    __slots__ = ("_data_of", "handle")
    _shared = None

    def __init__(self, handle: Any, unpack: Callable[[Any], Any]) -> None:
        self.handle = handle
        self._data_of = unpack

    def unpack(self) -> Any:
        """The tensor that the unpack hook gives back; TypeError when it is none."""
        out = self._data_of(self.handle)
        if not isinstance(out, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                + type(out).__name__
            )
        return out

    @property
    def _data(self) -> Any:
        return self.unpack()._data


def pack(node: Node) -> None:
    """Give each tensor that a node has just saved to the innermost pack hook."""
    assert node.saved is not None
    pack_hook, unpack_hook = saved_hooks[-1]
    held = list(saved_hooks)
    saved_hooks.clear()
    try:
        entries: list[Any] = []
        for entry in node.saved:
            if entry is None or isinstance(entry, SavedNumber):
                entries.append(entry)
                continue
            tensor = entry if isinstance(entry, Tensor) else make(entry._data, entry._dtype)
            before = tensor._version
            entries.append(Packed(pack_hook(tensor), unpack_hook))
            if tensor._version != before:
                raise RuntimeError(PACK_IN_PLACE)
        node.saved = tuple(entries)
    finally:
        saved_hooks.extend(held)


class saved_tensors_hooks:  # noqa: N801 - PyTorch's own name
    """Inside, every tensor that a node saves goes through `pack_hook`, and through `unpack_hook` when it is needed."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pair = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        saved_hooks.append(self.pair)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        saved_hooks.pop()
