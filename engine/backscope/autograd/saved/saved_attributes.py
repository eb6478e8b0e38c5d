"""The attributes of nodes for their saved values, `_saved_X` and `_raw_saved_X`: properties of each op's class."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from backscope.runtime.given import Tree, Values

if TYPE_CHECKING:
    from backscope.autograd.node import Node

_OF_SHAPES = (
    "sym_sizes",
    "sym_sizes_opt",
    "sym_strides",
    "sym_numel",
    *[f"sym_argsize_{n}" for n in range(5)],
    *[f"sym_argsize_minus_{n}" for n in range(1, 4)],
)


def saved_attributes(slots: Values, attributes: Values, inputs: Values, shows: Tree) -> dict[str, property]:
    """Make the properties of an op's nodes: for its slots, its attributes, and the shapes and strides of its inputs.

    `shows` has further attributes of PyTorch's nodes: by name the attribute with its value, or a function for it.
    """
    names = [*slots, *attributes, *[f"{a}_opt" for a in attributes]]
    stems = dict.fromkeys([*inputs, *[a.rpartition("_")[0] for a in attributes if a.endswith(("_shape", "_strides"))]])
    names += [f"{stem}_{what}" for stem in stems for what in _OF_SHAPES]
    found = {f"_saved_{name}": _saved(name) for name in names} | {f"_raw_saved_{slot}": _raw(slot) for slot in slots}
    return found | {f"_saved_{name}": property(s) if callable(s) else _saved(s) for name, s in shows.items()}


@cache
def _saved(name: str) -> property:
    def read(node: Node) -> Any:
        from backscope.autograd.saved.saved_tensors import read_slot

        return read_slot(node, name)

    return property(read)


@cache
def _raw(slot: str) -> property:
    def read(node: Node) -> Any:
        from backscope.autograd.saved.saved_tensors import read_raw_slot

        return read_raw_slot(node, slot)

    return property(read)
