"""CopySlices: what the history of a base becomes when a view of it is changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.formula import fit, run_recorded, run_through_tensors
from backscope.autograd.geometry import element_strides, geometry, layout, strided
from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.ops.declaration import xp
from backscope.tensor import Tensor


class CopySlices(Node):
    """The history of a base of which a view was changed in place: the change's formula on that part of the gradient.

    `inner` is the node of the change, `geometry` the view's shape, strides and offset in the base, `replay` the steps
    that lead to the view where these don't.
    """

    __slots__ = ("base_strides", "geometry", "inner", "replay")

    composite = True
    prefix = "torch::autograd::"

    inner: Any
    geometry: tuple[Any, ...]
    base_strides: tuple[int, ...]
    replay: Any

    def run_tensors(self, node: Any, g: Tensor) -> list[Any]:
        """The gradients of base and other inputs, on Tensors, so that they are themselves recorded."""
        result = xp.copy_in_layout(g, layout(self.shape, self.base_strides))
        if self.replay is None:
            part = result.as_strided(*self.geometry)
        else:
            from backscope.autograd.view import replayed

            part = replayed(self.replay, result)
        gradients = self._inner(run_recorded, part.clone())
        first = gradients[0]
        if first is None:
            result = None
        else:
            part.copy_(first)
        return [fit(x, n, nr) for x, (n, nr) in zip([result, *gradients[1:]], self.edges(), strict=True)]

    def name(self) -> str:
        """PyTorch's name, with its C++ namespace."""
        return "torch::autograd::CopySlices"

    def release(self) -> None:
        """Let go of what the change saved."""
        self.saved = None
        self.inner.release()

    def _inner(self, run: Any, g: Any) -> Any:
        """Run the formula of the change on what this node saved."""
        inner = self.inner
        inner.saved = self.saved
        try:
            return run(inner, g)
        finally:
            inner.saved = None


def run_copy_slices(node: Any, g: Any) -> Any:
    """The gradients of base and other inputs on raw values."""
    reach = sum((n - 1) * s for n, s in zip(node.shape, node.base_strides, strict=True)) + 1
    memory = np.empty(max(reach, 0), g.dtype)
    result = strided(memory, node.shape, node.base_strides, 0)
    result[...] = g
    part = strided(memory, *node.geometry)
    gradients = node._inner(node.inner.run, part.copy())
    if gradients[0] is None:
        return [None, *gradients[1:]]
    part[...] = gradients[0]
    return [result, *gradients[1:]]


def copy_slices(base: Tensor, view: Tensor, inner: Any, replay: Any) -> CopySlices:
    """The node for a change of `view`, a view of `base`, of which `inner` is the node."""
    edge, nr = gradient_edge(base)
    made: CopySlices = object.__new__(CopySlices)
    made.sequence_nr = next_sequence_nr()
    made.next = (edge, *inner.next[1:])
    numbers = (nr, *(inner.next_nr or (0,) * len(inner.next))[1:])
    made.next_nr = numbers if any(n is not None and n.multi for n in made.next) else None
    made.saved, made.attrs, made.versions = inner.saved, (), None
    made.grad = made.mark = made.hooks = made.token = None
    made.shape, made.dtype = base._data.shape, base._dtype
    made.run = run_copy_slices if replay is None else run_through_tensors
    made.deliver = None
    made.inner = inner
    made.geometry = geometry(base._array(), view._array())
    made.base_strides = element_strides(base._array())
    made.replay = replay
    return made
