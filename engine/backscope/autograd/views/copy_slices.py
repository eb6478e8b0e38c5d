"""CopySlices: the node that becomes the grad_fn of a base when a view of it is changed in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.formula import THROUGH_TENSORS, fit, run_recorded
from backscope.autograd.node import FREED_TEXT, Node, SavedResult, gradient_edge, next_sequence_nr
from backscope.autograd.plan import Plan
from backscope.ops.core.declaration import xp
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value, Values
from backscope.tensor.strides import SHARED, element_strides, geometry, is_dense, layout, repeats_elements, strided
from backscope.tensor.tensor import Tensor


class CopySlices(Node):
    """Runs the formula of an in-place change of a view on that part of the gradient of its base.

    `inner` is the node of the change, `geometry` the view's shape, strides and offset in the base, `replay` the steps
    that make the view where these don't.  A pass frees it even where the formula `needs` no saved value.
    """

    __slots__ = ("base_strides", "geometry", "inner", "needs", "replay")

    composite = True
    prefix = "torch::autograd::"

    inner: Any  # Any: a node, or None after it was released.
    needs: bool
    geometry: tuple[Any, ...]
    base_strides: tuple[int, ...]
    replay: Values

    def run_tensors(self, node: Node, g: Tensor) -> list[Any]:
        """Compute the gradients of the base and the other inputs on Tensors, so that the formula is itself recorded."""
        result = self._laid_out(g)
        part = self._part(result)
        gradients = self._inner(run_recorded, part.clone())
        first = gradients[0]
        if first is None:
            result = None
        else:
            if first.__class__ is not Tensor:
                # Where a vmap maps over the values that the change saved, it must map over the whole gradient too.
                nothing = (first.detach() == 0).sum() * 0
                result = self._laid_out(result + nothing)
                part = self._part(result)
            part.copy_(first)
        pairs = zip([result, *gradients[1:]], self.edges(), strict=True)
        return [None if x is None or n is None else fit(x, n, nr) for x, (n, nr) in pairs]

    def _laid_out(self, g: Value) -> Any:
        """Return a copy of a gradient with the strides of the base."""
        like = layout(self.shape, self.base_strides)
        if is_dense(like) or not like.size:
            return xp.copy_in_layout(None, g, like)
        return g.new_empty_strided(self.shape, self.base_strides).copy_(g)

    def _part(self, whole: Value) -> Any:
        """Return the part of a gradient of the base that the changed view covers."""
        if self.replay is None:
            return whole.as_strided(*self.geometry)
        from backscope.autograd.views.view_history import replayed

        return replayed(self.replay, whole)

    def release(self) -> None:
        """Free the saved tensors of the change."""
        self.saved = None
        if self._has_history():
            self.inner = None
        else:
            self.inner.release()

    def _has_history(self) -> bool:
        """Return True if a gradient of what the change saved, its own result, leads to the node of the change."""
        inner = self.inner
        return inner is not None and bool(inner.next) and inner.next[0].__class__ not in _WITHOUT_HISTORY

    def _inner(self, run: Callable[..., Any], g: Value) -> Any:
        """Run the formula of the change on the values that this node saved."""
        if self.saved is None:
            raise blame(RuntimeError(FREED_TEXT), "freed", node=self)
        inner = self.inner
        inner.saved = self.saved if self.needs else ()
        try:
            return run(inner, g)
        finally:
            if not self._has_history():
                inner.saved = None


def _run_plan(inner: Value, g: Value) -> Any:
    return inner.plan.run(inner, g)


def run_copy_slices(node: CopySlices, g: Value) -> list[Value]:
    """Compute the gradients of the base and the other inputs on raw values."""
    reach = sum((n - 1) * s for n, s in zip(node.shape, node.base_strides, strict=True)) + 1
    memory = np.empty(max(reach, 0), g.dtype)
    result = strided(memory, node.shape, node.base_strides, 0)
    result[...] = g
    part = strided(memory, *node.geometry)
    if repeats_elements(part):
        raise RuntimeError(SHARED)
    gradients = node._inner(_run_plan, part.copy())
    if gradients[0] is None:
        return [None, *gradients[1:]]
    part[...] = gradients[0]
    return [result, *gradients[1:]]


_PLAN = Plan(run_copy_slices)


class _Place(Node):
    """Replaces the node of a view's former history, which is not kept alive: a gradient ends here.

    A change that saved its own result keeps the former history, to differentiate the result once the view is gone.
    """

    __slots__ = ()


_WITHOUT_HISTORY = (type(None), _Place)


def _place_of(view: Tensor) -> Any:
    place: Any = object.__new__(_Place)
    place.shape, place.dtype = view._data.shape, view._dtype
    place.next, place.next_nr, place.saved, place.token = (None,), None, (), None
    return place


def copy_slices(base: Tensor, view: Tensor, inner: Value, replay: Value) -> CopySlices:
    """Make the CopySlices node for a change of `view`, a view of `base`; `inner` is the node of the change."""
    edge, nr = gradient_edge(base)
    made: CopySlices = object.__new__(CopySlices)
    made.sequence_nr = next_sequence_nr()
    made.next = (edge, *inner.next[1:])
    numbers = (nr, *(inner.next_nr or (0,) * len(inner.next))[1:])
    made.next_nr = numbers if any(n is not None and n.multi for n in made.next) else None
    if inner.next[0] is not None and not any(isinstance(e, SavedResult) for e in inner.saved or ()):
        inner.next = (_place_of(view), *inner.next[1:])
        inner.next_nr = None if inner.next_nr is None else (0, *inner.next_nr[1:])
    made.saved, made.attrs, made.versions = inner.saved or (None,), (), None
    made.needs = bool(inner.saved)
    made.grad = made.hooks = made.token = None
    made.shape, made.dtype = base._data.shape, base._dtype
    made.plan = _PLAN if replay is None else THROUGH_TENSORS
    made.inner = inner
    made.geometry = geometry(base._array(), view._array())
    made.base_strides = element_strides(base._array())
    made.replay = replay
    return made
