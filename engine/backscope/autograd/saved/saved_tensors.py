"""Saved tensors: how nodes keep them, reading them back for a formula or a user, the errors when they are stale."""

from __future__ import annotations

import math
import re
import weakref
from math import prod
from typing import TYPE_CHECKING, Any

from backscope.autograd.anomaly import hint
from backscope.autograd.node import FREED_TEXT, Node, SavedNumber, SavedResult, described
from backscope.autograd.transforms.saved_transform_tensor import SavedTransformTensor, transform_state
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Dim, Dtype, Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.dtype import float64, of_number
from backscope.tensor.strides import element_strides
from backscope.tensor.tensor import Tensor, make
from backscope.tensor.version_counter import DetachedCounter, InferenceVersion

if TYPE_CHECKING:
    from backscope.autograd.saved.saved_hooks import SavedTensor

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)


DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)


class SavedView:
    """The saved result of an in-place op on a view: its grad_fn is the one that the view then got from its base."""

    __slots__ = ("_data", "_dtype", "_shared", "history", "output_nr", "transform_state")

    def __init__(self, entry: SavedResult, view: Tensor) -> None:
        self._data = entry._data
        self._dtype = entry._dtype
        self._shared = entry._shared
        self.output_nr = entry.output_nr
        self.history = weakref.ref(view._grad_fn)
        self.transform_state = transform_state(view)


class SavedList:
    """A list of tensors, or None in place of some, as a node saves it."""

    __slots__ = ("entries", "versions")
    _shared = None

    def __init__(self, tensors: Values) -> None:
        self.entries: tuple[Any, ...] = tuple(tensors)
        self.versions = tuple([version_of(t) for t in self.entries])

    @property
    def _data(self) -> tuple[Any, ...]:
        return tuple([None if t is None else t._data for t in self.unpack()])

    def unpack(self) -> tuple[Any, ...]:
        """Return the tensors; RuntimeError where one was changed since it was saved."""
        return tuple([self.read(i) for i in range(len(self.entries))])

    def read(self, i: int) -> Value:
        """Return one of the tensors; RuntimeError where it was changed since it was saved."""
        entry = self.entries[i]
        if entry is None or isinstance(entry, Tensor):
            if entry is not None and version_of(entry) != self.versions[i]:
                text = modified_text(entry, self.versions[i], entry._node(), 0)
                raise RuntimeError(DETACHED if detached_since(entry, self.versions[i]) else text)
            return entry
        return entry.unpack()


def version_of(entry: Value) -> int:
    """Return the version of a saved entry; RuntimeError for an inference tensor."""
    shared = None if entry is None else entry._shared
    if shared is None:
        return 0
    if isinstance(shared, InferenceVersion):
        raise blame(RuntimeError(INFERENCE_SAVED), "inference", tensor=entry if isinstance(entry, Tensor) else None)
    version: int = shared[0]
    return version


def versions_of(saved: tuple[Any, ...]) -> tuple[int, ...] | None:
    """Return the versions of saved tensors; None where all are 0."""
    found = tuple([version_of(s) for s in saved])
    return found if any(found) else None


def environment(node: Node) -> list[Any]:
    """Return a node's saved tensors as Tensors and its attributes, in the order of the formulas' parameters."""
    if node.saved is None:
        raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
    if not node.saved:
        return [*[None] * len(node.op.slots), *[x._live() if x.__class__ is TransformTensor else x for x in node.attrs]]
    slots: list[Any] = [None] * len(node.saved)
    for k in node.op.unpack_order:
        slots[k] = unpack(node, k, for_formula=True)
    return [x._live() if x.__class__ is TransformTensor else x for x in (*slots, *node.attrs)]


def check_saved(node: Node) -> None:
    """Raise RuntimeError where an op's node has a saved tensor that was freed or changed.

    The engine calls it for a node that no gradient reached: PyTorch's nodes read what they saved then too.
    """
    if not node.composite:
        environment(node)


def unpack(node: Node, slot: int, *, for_formula: bool = False) -> Value:
    """Return one saved tensor as a Tensor, a Python number as it is; RuntimeError where it was changed in place.

    A tensor that was only detached in place is an error for a formula, but a program may read it.
    """
    assert node.saved is not None
    entry = node.saved[slot]
    if entry is None:
        return None
    if isinstance(entry, SavedNumber):
        return entry.number
    if not isinstance(entry, (Tensor, SavedResult, SavedView)):
        return entry.unpack()
    counter = entry._shared
    expected = node.versions[slot] if node.versions else 0
    if counter is not None and counter[0] != expected and (for_formula or int(counter[0]) != int(expected)):
        raise modified_error(node, slot, for_formula=for_formula)
    return entry if isinstance(entry, Tensor) else result_tensor(node, entry)


def result_tensor(node: Node, entry: Value) -> Value:
    """Return a node's saved output as a Tensor with the node as its grad_fn."""
    out = make(entry._data, entry._dtype)
    out._shared = entry._shared
    if isinstance(entry, SavedTransformTensor):
        entry.restore(out)
    elif isinstance(entry, SavedView) and entry.transform_state is not None:
        out.__class__ = TransformTensor
        out.__dict__.update(entry.transform_state)
    count = None if node.op is None else node.op.differentiable
    out._requires_grad = out._dtype.category > 1 and (count is None or entry.output_nr < count)
    if not out._requires_grad:
        return out
    history = entry.history() if isinstance(entry, SavedView) else None
    out._grad_fn = history or node
    out._output_nr = entry.output_nr if node.multi and history is None else None
    return out


def short_name(name: str) -> str:
    """Return a node's name as error texts write it: `Add` for AddBackward0, `T1` for TBackward1."""
    return re.sub(r"Backward(0|([1-9]\d*))?$", r"\2", name)


def type_text(kind: Dtype) -> str:
    """Return a dtype as error texts about saved tensors write it."""
    if kind.category == 0 or kind.is_complex or kind.name in ("bfloat16", "uint16", "uint32", "uint64"):
        return f"CPU{kind.type_name}Type"
    return f"torch.{kind.type_name}Tensor"


def modified_text(entry: Value, expected: int, producer: Node | None, number: int) -> str:
    """Return PyTorch's text for a saved tensor that was changed in place after it was saved."""
    made_by = f", which is output {number} of {short_name(producer.name())}," if producer is not None else ""
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{type_text(entry._dtype)} {list(entry._data.shape)}]{made_by} is at version {entry._shared[0]}; expected "
        f"version {expected} instead.{hint()}"
    )


def detached_since(entry: Value, expected: int) -> bool:
    """Return True if a tensor was detached in place after it was saved, and has no new history."""
    if not isinstance(entry, Tensor) or entry._grad_fn is not None:
        return False
    counter = entry._shared
    return isinstance(counter, DetachedCounter) and getattr(expected, "counter", None) is not counter


def modified_error(node: Node, slot: int, *, for_formula: bool = True) -> RuntimeError:
    """Return PyTorch's error for a saved tensor that was changed or detached in place after it was saved."""
    assert node.saved is not None
    entry = node.saved[slot]
    expected = node.versions[slot] if node.versions else 0
    is_output = not isinstance(entry, Tensor)
    if for_formula and detached_since(entry, expected):
        return RuntimeError(DETACHED)
    producer: Any
    rebased: Tensor | None = None
    number = 0
    if isinstance(entry, SavedView):
        producer = entry.history() or node
    elif is_output:
        producer, number = (node if entry._dtype.category > 1 else None), entry.output_nr
    else:
        before, listener = entry._grad_fn, hub.listener
        if for_formula:  # A pass tells of a new grad_fn after the node that reads it.
            hub.listener = None
        try:
            producer = entry._node()
        finally:
            hub.listener = listener
        if producer is not before:
            rebased = entry
    blamed: RuntimeError = blame(
        RuntimeError(modified_text(entry, expected, producer, number)),
        "modified",
        node=node,
        slot=node.slot_name(slot),
        is_output=is_output,
        rebased=rebased,
    )
    return blamed


def _was_never_saved(node: Node, k: int) -> bool:
    """Return True if the formulas that a node needs don't use slot `k`, which was then empty from the start."""
    op = node.op
    alone = op.listed or len(op.inputs) == 1
    needs = (True,) * len(op.inputs) if alone else tuple([n is not None for n in node.next])
    return not op.plan(needs).keeps[k]


# Any: a tensor, or an argument of any type.
def read_slot(node: Node, slot: str) -> Any:
    """Return the value of `grad_fn._saved_<slot>`: a tensor, or an argument of the op."""
    op = node.op
    if op is None:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{slot}'")
    if slot in op.slots:
        k = op.slots.index(slot)
        if node.saved is None:
            if _was_never_saved(node, k):
                return None
            raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
        value = unpack(node, k) if node.saved else None
        return value if value is None or isinstance(value, (Tensor, tuple)) else number_tensor(value)
    if slot.endswith("_sym_numel") and slot[:-10] + "_shape" in op.attrs:
        return prod(node.attrs[op.attrs.index(slot[:-10] + "_shape")])
    if slot.endswith("_sym_strides") and _needs_no_gradient(node, slot[: -len("_sym_strides")]):
        return ()
    name, part = _described(slot)
    if part is not None and name in op.attrs:
        return node.attrs[op.attrs.index(name)][part]
    if name in op.attrs:
        value = node.attrs[op.attrs.index(name)]
        if value is None and slot.endswith("_opt"):
            return (0,)
        return value if slot in _SCALARS else unsigned(value)
    if (described := _of_input(node, slot)) is not None:
        return described
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{slot}'")


_SCALARS = frozenset(
    {
        "alpha",
        "beta",
        "exponent",
        "lambd",
        "max",
        "max_val",
        "min",
        "min_val",
        "negative_slope",
        "other",
        "threshold",
        "value",
    }
)
"""Attributes that are numbers of any type: only these keep a minus sign."""


def _needs_no_gradient(node: Node, name: str) -> bool:
    """Return True if an input is one of several of its op and gets no gradient from the node."""
    inputs = node.op.inputs
    if name not in inputs or len(node.next) != len(inputs):
        return False
    return node.next[inputs.index(name)] is None


def _of_input(node: Node, slot: str) -> Any:
    """Return shape, strides or number of elements of an input, from other data of the node; None where it has none."""
    op = node.op
    found = re.fullmatch(r"(\w+)_sym_(sizes|strides|numel|argsize_(?:minus_)?\d)", slot)
    if found is None or found[1] not in op.inputs:
        return None
    name = found[1]
    tensor = node.saved[op.slots.index(name)] if name in op.slots and node.saved else None
    position = op.inputs.index(name)
    shape: Any = None
    if f"{name}_shape" in op.attrs:
        shape = node.attrs[op.attrs.index(f"{name}_shape")]
    elif isinstance(tensor, Tensor):
        shape = tensor._data.shape
    elif position < len(node.next) and node.next[position] is not None:
        below, nr = node.edges()[position]
        shape = None if below is None else described(below, nr)[0]
    if shape is None:
        return None
    if found[2] == "strides":
        return element_strides(tensor._array()) if isinstance(tensor, Tensor) else None
    if found[2].startswith("argsize"):
        return shape[int(found[2][8:].replace("minus_", "-"))]
    return tuple(shape) if found[2] == "sizes" else math.prod(shape)


def read_raw_slot(node: Node, slot: str) -> SavedTensor | tuple[SavedTensor, ...]:
    """Return the value of `grad_fn._raw_saved_<slot>`: a SavedTensor, or a tuple of them."""
    from backscope.autograd.saved.saved_hooks import SavedTensor

    op = node.op
    if op is None or slot not in op.slots:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_raw_saved_{slot}'")
    k = op.slots.index(slot)
    entry = node.saved[k] if node.saved else None
    if isinstance(entry, SavedList):
        return tuple([SavedTensor._of(node, k, i) for i in range(len(entry.entries))])
    return SavedTensor._of(node, k, None)


def slot_names(node: Node) -> list[str]:
    """Return the names of a node's attributes of saved values: `_saved_X` of all, `_raw_saved_X` of tensors."""
    op = node.op
    if op is None:
        return []
    names = [f"_raw_saved_{slot}" for slot in op.slots]
    for name in (*op.slots, *op.attrs):
        if name in op.shows.values():
            continue
        stem, _, what = name.rpartition("_")
        if stem in op.inputs and (what == "dtype" or op.listed):
            continue  # PyTorch's nodes have no attributes for types and for lists of tensors.
        described = stem in op.inputs and {"shape": "sym_sizes", "strides": "sym_strides"}.get(what)
        names.append(f"_saved_{stem}_{described}" if described else f"_saved_{name}")
    return [*names, *[f"_saved_{name}" for name in op.shows]]


def _described(slot: str) -> tuple[str, int | None]:
    """Return the attribute behind `X_sym_sizes`, `X_sym_strides` or `X_sym_argsize_N`, and the index of its number."""
    found = re.fullmatch(r"(\w+)_sym_argsize_(minus_)?(\d+)", slot)
    if found is not None:
        number = int(found[3])
        return found[1] + "_shape", -number if found[2] else number
    return re.sub(r"_sym_sizes(_opt)?$", "_shape", slot).replace("_sym_strides", "_strides"), None


def unsigned(value: Value) -> Dim:
    """Return dims as PyTorch's attributes have them: a negative dim wraps around 2**64."""
    if isinstance(value, (tuple, list)):
        return tuple(unsigned(v) for v in value)
    return value % 2**64 if isinstance(value, int) and not isinstance(value, bool) and value < 0 else value


def number_tensor(value: Value) -> Value:
    """Return a saved Python number as the 0-d tensor that PyTorch saves."""
    kind = of_number(value)
    kind = kind if kind.name in ("bool", "int64") else {"float32": float64}.get(kind.name, kind)
    return make(kind.scalar(value), kind)
