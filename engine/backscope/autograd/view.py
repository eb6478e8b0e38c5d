"""Views and in-place changes: shared version counters, history of a base rewritten as CopySlices, views regenerated."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.formula import fit, run_recorded
from backscope.autograd.grad_mode import mode
from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.autograd.saved import short_name
from backscope.diagnose import blame
from backscope.listening import hub
from backscope.ops.declaration import primitives, xp
from backscope.tensor import Tensor

_MODE_ADVICE = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) "
    "or both outside (if you want the inplace to be tracked)."
)
_MULTI_ADVICE = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)


class View:
    """How a tensor came to be a view: its `base`, how it was `made`, and the version that its grad_fn is of.

    `made` is "default", "no_grad" or "multi_output".
    """

    __slots__ = ("base", "made", "version")

    def __init__(self, base: Tensor, made: str) -> None:
        self.base = base
        self.made = made
        self.version = base._counter()[0]

    def regenerate(self, view: Tensor) -> None:
        """Give the view a new grad_fn when its base, or another view of it, was changed in place since."""
        current = self.base._counter()[0]
        if current == self.version:
            return
        base = self.base
        if view._grad_fn is None and not base._requires_grad:
            return
        if base._grad_fn is None and base._requires_grad and not mode.enabled and view._grad_fn is None:
            return
        self.refuse(view, "and its base or another view of its base has been modified inplace with grad mode enabled.")
        op = primitives["as_strided"]
        node: Any = object.__new__(op.node)
        node.sequence_nr = next_sequence_nr()
        edge, nr = gradient_edge(base)
        node.next, node.next_nr = (edge,), (nr,) if edge is not None and edge.multi else None
        node.run = op.plan((True,)).run
        node.deliver = None
        node.saved, node.versions = (), None
        node.grad = node.mark = node.hooks = node.token = None
        node.shape, node.dtype = view._data.shape, view._dtype
        node.attrs = as_strided_attributes(op, base._array(), view._array())
        view._grad_fn, view._output_nr, view._requires_grad = node, None, True
        self.version = current
        if hub.listener is not None:
            hub.listener.rebased(view, node)

    def refuse(self, view: Tensor, happening: str) -> None:
        """Raise PyTorch's error for a view that an in-place change must not touch; `happening` completes it."""
        if self.made == "no_grad":
            raise RuntimeError(f"A view was created in no_grad mode {happening}{_MODE_ADVICE}")
        if self.made == "multi_output":
            what = f"Output {view._output_nr or 0} of {short_name(view._grad_fn.name()) if view._grad_fn else 'Unbind'}"
            raise RuntimeError(f"{what} is a view {happening}{_MULTI_ADVICE}")


def attach_view(op: Any, source: Tensor, outputs: tuple[Any, ...]) -> None:
    """Make `outputs` views of `source`, or of the base that it is a view of itself."""
    inherited = source._view
    base = source if inherited is None else inherited.base
    made = "default"
    if inherited is not None and inherited.made != "default":
        made = inherited.made
    elif not mode.enabled:
        made = "no_grad"
    elif op.outputs != 1:
        made = "multi_output"
    for out in outputs:
        out._view = View(base, made)
        out._shared = base._shared


def check_in_place(tensor: Tensor, tracked: bool) -> None:
    """Raise what PyTorch raises where a tensor may not be changed in place; `tracked` if that would be recorded."""
    if not mode.enabled:
        return
    view = tensor._view
    if view is not None:
        view.regenerate(tensor)
        if tracked or tensor._requires_grad or view.base._requires_grad:
            view.refuse(
                tensor,
                "and is being modified inplace with grad mode enabled."
                if view.made == "no_grad"
                else "and is being modified inplace.",
            )
        if view.base._requires_grad and view.base._grad_fn is None:
            raise blame(
                RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation."),
                "leaf_in_place",
                tensor=view.base,
            )
    if tensor._requires_grad and tensor._grad_fn is None:
        raise blame(
            RuntimeError("a leaf Variable that requires grad is being used in an in-place operation."),
            "leaf_in_place",
            tensor=tensor,
        )


def rebase(tensor: Tensor, node: Node) -> Node:
    """Make `node` the history of a tensor that was just changed in place; a view's base gets a CopySlices node.

    Returns the node that is now in the graph.
    """
    view = tensor._view
    if view is None:
        _move_retained(tensor, node)
        tensor._grad_fn, tensor._output_nr, tensor._requires_grad = node, None, True
        return node
    base = view.base
    edge, nr = gradient_edge(base)
    slices: Any = object.__new__(CopySlices)
    slices.sequence_nr = next_sequence_nr()
    slices.next = (edge, *node.next[1:])
    numbers = (nr, *(node.next_nr or (0,) * len(node.next))[1:])
    slices.next_nr = numbers if any(n is not None and n.multi for n in slices.next) else None
    slices.saved, slices.attrs, slices.versions = node.saved, (), None
    slices.grad = slices.mark = slices.hooks = slices.token = None
    slices.shape, slices.dtype = base._data.shape, base._dtype
    slices.run = run_copy_slices
    slices.deliver = None
    slices.inner = node
    slices.geometry = geometry(base._array(), tensor._array())
    slices.base_strides = element_strides(base._array())
    base._grad_fn, base._output_nr, base._requires_grad = slices, None, True
    if hub.listener is not None:
        hub.listener.rebased(base, slices)
    view.version = -1
    view.regenerate(tensor)
    return slices  # type: ignore[no-any-return]


def _move_retained(tensor: Tensor, node: Node) -> None:
    """retain_grad follows a tensor to its new grad_fn."""
    old = tensor._grad_fn
    if old is not None and tensor.retains_grad and old.hooks is not None:
        kept = old.hooks.retained.pop(tensor._output_nr or 0, None)
        if kept is not None:
            from backscope.autograd.hooks import hooks_of

            hooks_of(node).retained[0] = kept


class CopySlices(Node):
    """The history of a base of which a view was changed in place: the view's op on that part of the gradient."""

    __slots__ = ("base_strides", "geometry", "inner")

    composite = True

    inner: Any
    geometry: tuple[Any, ...]
    base_strides: tuple[int, ...]

    def run_tensors(self, node: Any, g: Tensor) -> list[Any]:
        """The gradients of base and other inputs, on Tensors, so that they are themselves recorded."""
        shape, strides, offset = self.geometry
        result = xp.copy_in_layout(g, layout(self.shape, self.base_strides))
        whole = result if self.inner.dtype is self.dtype else xp.view_as_real(result)
        part = whole.as_strided(shape, strides, offset)
        self.inner.saved = self.saved
        gradients = run_recorded(self.inner, part.clone())
        self.inner.saved = None
        first = gradients[0]
        if first is None:
            part.zero_()
        else:
            part.copy_(first)
        return [fit(x, n, nr) for x, (n, nr) in zip([result, *gradients[1:]], self.edges(), strict=True)]


def run_copy_slices(node: Any, g: Any) -> Any:
    """The gradients of base and other inputs on raw values."""
    shape, strides, offset = node.geometry
    reach = sum((n - 1) * s for n, s in zip(node.shape, node.base_strides, strict=True)) + 1
    memory = np.empty(max(reach, 0), g.dtype)
    result = strided(memory, node.shape, node.base_strides, 0)
    result[...] = g
    part = strided(memory.view(node.inner.dtype.np), shape, strides, offset)
    node.inner.saved = node.saved
    gradients = node.inner.run(node.inner, part.copy())
    node.inner.saved = None
    part[...] = 0 if gradients[0] is None else gradients[0]
    return [result, *gradients[1:]]


def geometry(base: Any, view: Any) -> tuple[Any, Any, int]:
    """Shape, strides and offset of `view` within the memory of `base`, in elements of the view."""
    start = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return view.shape, element_strides(view), start // view.itemsize


def element_strides(array: Any) -> tuple[int, ...]:
    """The strides of an array in elements."""
    return tuple([s // array.itemsize for s in array.strides])


def layout(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """An array of this shape and strides whose elements are not to be read."""
    one = np.zeros(1, np.int8)
    return np.lib.stride_tricks.as_strided(one, shape, strides)


def as_strided_attributes(op: Any, base: Any, view: Any) -> tuple[Any, ...]:
    """The attributes of an as_strided node that leads from `view` to `base`."""
    shape, strides, offset = geometry(base, view)
    values = {
        "size": shape,
        "stride": strides,
        "storage_offset": offset,
        "self_shape": base.shape,
        "self_strides": element_strides(base),
    }
    return tuple(values[name] for name in op.attrs)


def strided(array: Any, shape: Any, strides: Any, offset: int) -> Any:
    """A numpy view of `array`'s memory; strides and offset in elements, counted from its first element."""
    step = array.itemsize
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, offset * step, tuple([s * step for s in strides]))
    if array.T.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array.T, offset * step, tuple([s * step for s in strides]))
    first = np.lib.stride_tricks.as_strided(array, (), ())
    moved = np.lib.stride_tricks.as_strided(array, (offset + 1,), (step,))[offset:]
    return np.lib.stride_tricks.as_strided(moved if offset else first, shape, tuple([s * step for s in strides]))
