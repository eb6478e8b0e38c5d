"""SavedTransformTensor: how a node saves its own output where that belongs to a transform."""

from __future__ import annotations

from typing import Any

from backscope.autograd.node import Node, SavedResult
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.runtime.given import Value

_new = object.__new__


class SavedTransformTensor(SavedResult):
    """A node's own output, saved with what makes it a TransformTensor."""

    __slots__ = ("transform_state",)

    transform_state: dict[str, Any]

    def restore(self, out: Value) -> None:
        """Turn an ordinary tensor with the saved value into the TransformTensor that the output was."""
        out.__class__ = TransformTensor
        out.__dict__.update(self.transform_state)


def transform_state(out: Value) -> dict[str, Any] | None:
    """Return the attributes that make a tensor a TransformTensor; None for an ordinary tensor."""
    if out.__class__ is not TransformTensor:
        return None
    return {name: getattr(out, name) for name in ("inner", "level", "batch_dim", "tangent", "tangent_level")}


def save_transform_state(out: Value, node: Node | None = None, number: int | None = None) -> None:
    """Replace the entry of `out` in its node's saved tensors by one that keeps the TransformTensor's attributes."""
    node = out._grad_fn if node is None else node
    number = out._output_nr or 0 if number is None else number
    if node is None or not node.saved or not any(e.__class__ is SavedResult for e in node.saved):
        return
    state = transform_state(out)
    entries: list[Any] = []
    for e in node.saved:
        if e.__class__ is SavedResult and e.output_nr == number:
            saved: Any = _new(SavedTransformTensor)
            saved._data, saved._dtype, saved._shared, saved.output_nr = e._data, e._dtype, e._shared, e.output_nr
            saved.transform_state = state
            e = saved
        entries.append(e)
    node.saved = tuple(entries)
