"""The levels of transforms that are open, and the tensors that take part in them.

A level is one call of a transform, or a dual level of forward mode.  A tensor at a level wraps one of the level below:
each level has its own tape, its own tangents, its own batch dim, so that nested transforms don't see each other's.
Ops ask `levels` with one check; where nothing is open nothing else is done.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from backscope.autograd.absent import Absent, stand_in
from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import SavedResult
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.tensor.tensor import VIEW_DETACHED, Tensor

_new = object.__new__
_numbers = itertools.count(1)


class Level:
    """One open transform: `kind` is "dual", "grad", "jvp", "vmap" or "functionalize".

    `depth` is the number of transforms around it.

    Where `grad_mode` is off, a "grad" level's ops are not recorded below it; where `forward_mode` is off, a "jvp"
    level's have no tangents below it; `inference` is True for one that was opened in inference mode.  A vmap has its
    batch `size`, and `randomness`.  A level that `refuses` is one in which programs may not change what transforms look
    after.
    """

    __slots__ = (
        "depth",
        "forward_mode",
        "grad_mode",
        "inference",
        "is_open",
        "kind",
        "randomness",
        "refuses",
        "serial",
        "size",
    )

    def __init__(self, kind: str, depth: int) -> None:
        self.kind = kind
        self.depth = depth
        self.serial = next(_numbers)
        self.grad_mode = mode.enabled
        self.inference = mode.inference
        self.forward_mode = forward_mode.enabled
        self.is_open = True
        self.refuses = kind != "dual"
        self.size = 0
        self.randomness = "error"


levels: list[Level] = process_wide([])
"""The open levels, innermost last."""


@contextmanager
def opened(kind: str) -> Iterator[Level]:
    """A new innermost level for as long as the context lasts."""
    level = Level(kind, 1 + sum(x.kind != "dual" for x in levels))
    levels.append(level)
    used[:] = [True]
    listener = hub.listener if kind in ("grad", "jvp", "vmap") else None
    if listener is not None:
        listener.transform_entered(kind, level.depth)
    try:
        yield level
    finally:
        if listener is not None:
            listener.transform_left(level.depth)
        levels.remove(level)
        level.is_open = False


@contextmanager
def differentiating() -> Iterator[Level]:
    """A new innermost level whose ops are recorded, also under no_grad; inference mode is off while it lasts."""
    with opened("grad") as level:
        before = mode.enabled, mode.inference, mode.below, mode.asked
        mode.enabled, mode.inference, mode.below = True, False, False
        try:
            yield level
        finally:
            mode.enabled, mode.inference, mode.below, mode.asked = before


used: list[bool] = process_wide([])
"""Not empty once a level was opened: from then on ops look whether their tensors are lifted."""


@contextmanager
def only_up_to(level: Level | None, *, without: bool = False) -> Iterator[None]:
    """Only the levels around `level` and, unless `without`, it, while the context lasts; no transforms for None.

    Ops are recorded there if they are here and no transform in between was called under no_grad; tangents likewise.
    """
    last = 0 if level is None else level.serial - without
    held = list(levels)
    hidden = [x for x in held if x.kind != "dual" and x.serial > last]
    if not hidden:
        yield
        return
    recorded, forward = mode.enabled, forward_mode.enabled
    levels[:] = [x for x in held if x not in hidden]
    for x in hidden:
        if x.kind == "grad" and not x.grad_mode and mode.enabled:
            mode.enabled = False
        elif x.kind == "jvp" and not x.forward_mode:
            forward_mode.enabled = False
    try:
        yield
    finally:
        levels[:] = held
        if mode.enabled is not recorded:
            mode.enabled = recorded
        forward_mode.enabled = forward


def differentiating_above(top: Level | None) -> Level | None:
    """The innermost grad or jvp that is open inside `top`; None where there is none."""
    for level in reversed(levels):
        if top is not None and level.serial <= top.serial:
            return None
        if level.kind == "grad" or level.kind == "jvp":
            return level
    return None


def outside_transforms() -> Any:
    """A context in which no transform is open."""
    return only_up_to(None)


@contextmanager
def unlifted() -> Iterator[None]:
    """Ops take their tensors for ordinary ones for as long as the context lasts."""
    before = list(used)
    used.clear()
    try:
        yield
    finally:
        used[:] = before


def created(tensor: Any) -> Any:
    """A tensor that was just made, at the levels that differentiate: a constant of each."""
    for level in list(levels):
        if level.kind in ("grad", "jvp"):
            tracked, tensor._requires_grad = tensor._requires_grad, False
            tensor = wrapped(tensor, level)
            tensor._requires_grad = tracked
    return tensor


def created_like(like: Any, make: Callable[[Any, tuple[int, ...]], Any], *, own_shape: bool) -> Any:
    """What `make(like, ())` creates: where vmaps map over `like`, one for each of their examples.

    `make` gets what `like` wraps and the sizes of these vmaps, outermost first.  The new tensor has the shape of what
    `like` wraps if `own_shape`; else `make` puts the sizes in front.
    """
    if like.__class__ is not Lifted or not like.batched:
        return make(like, ())
    made = _created_like(like, make, own_shape, [x for x in levels if x.kind not in _UNLIFTING], ())
    below = made
    while below.__class__ is Lifted and below.inner is not None:
        below = below.inner
    # What a factory is asked to track is the tensor that it gives: within vmap nothing is recorded of it.
    tracked, below._requires_grad = below._requires_grad, False
    made._requires_grad = tracked and (made is below or made.level.kind != "vmap")
    return made


_UNLIFTING = ("dual", "functionalize")
"""Levels at which new tensors are ordinary ones."""


def _created_like(like: Any, make: Any, own_shape: bool, around: list[Level], lead: tuple[int, ...]) -> Any:
    like = like._live() if like.__class__ is Lifted else like
    if not around:
        return make(like, lead)
    level = around[-1]
    own = like.__class__ is Lifted and like.level is level
    mapped = own and level.kind == "vmap"
    with only_up_to(level, without=True):
        made = _created_like(
            like.inner if own else like, make, own_shape, around[:-1], (level.size, *lead) if mapped else lead
        )
    if mapped:
        return wrapped(made, level, like.batch_dim if own_shape else 0)
    return made if level.kind == "vmap" else wrapped(made, level)


class Lifted(Tensor):
    """A tensor that has a tangent, or that wraps one of a lower level.

    `inner` is the tensor below, None for a dual tensor on the ordinary tape; `batch_dim` which of its dims the level
    maps over.  It has no slots of its own, so that an ordinary tensor can become one in place.
    """

    __slots__ = ()

    inner: Any = None
    level: Level | None = None
    batch_dim: int | None = None
    tangent: Any = None
    tangent_level: Level | None = None

    def _live(self) -> Any:
        """This tensor, or what it wraps where its level is over."""
        t: Any = self
        while t.__class__ is Lifted and t.level is not None and not t.level.is_open:
            if t.batch_dim is not None:
                from backscope.func.transform_errors import escaped

                raise escaped("")
            t = t.inner
        return t

    def detach(self) -> Tensor:
        """The same value off the tape of every level, without a tangent."""
        t = self._live()
        if t is not self:
            detached: Tensor = t.detach()
            return detached
        if self.inner is None:
            return Tensor.detach(self)
        inner = self.inner.detach()
        if mode.inference and self.batch_dim is None and not self.level.inference:
            refuse_views((inner,))
        below: Tensor = wrapped_like(self, inner)
        return below

    def detach_(self) -> Tensor:
        """Tensor.detach_, which takes the tangent away too; RuntimeError for a tensor that a vmap maps over."""
        if self.batch_dim is not None:
            raise RuntimeError(VIEW_DETACHED)
        Tensor.detach_(self)
        self.tangent = None
        return self

    def backward(
        self, gradient: Any = None, retain_graph: Any = None, create_graph: Any = False, inputs: Any = None
    ) -> None:
        """Tensor.backward; RuntimeError inside a transform."""
        refuse_backward()
        Tensor.backward(self, gradient, retain_graph, create_graph, inputs)  # type: ignore[no-untyped-call]

    def _single(self, what: str) -> Any:
        t = self._live()
        if t is not self:
            return t._single(what)
        if self.batched:
            if what == "item":
                raise RuntimeError(
                    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
                    ".item() on a Tensor, please try to rewrite what you're doing with other operations. If error is "
                    "occurring somewhere inside PyTorch internals, please file a bug report."
                )
            raise RuntimeError(DATA_DEPENDENT)
        return Tensor._single(self, what)

    @property
    def batched(self) -> bool:
        """True where some level below maps over this tensor: it has no single value."""
        return isinstance(self._data, Absent)

    def _convert(self, kind: type) -> Any:
        if self._live() is self and self.batched:
            return self._single("item")
        return Tensor._convert(self, kind)

    def __index__(self) -> int:
        t = self._live()
        if t is self and self.batched and self._dtype.category < 2:
            self._single("item")
        return Tensor.__index__(t)

    def tolist(self) -> Any:
        """The elements as nested lists; RuntimeError for a tensor of a vmap."""
        if self.batched:
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        return Tensor.tolist(self._live())

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The memory as a numpy array; RuntimeError inside a transform."""
        t = self._live()
        if t is not self:
            return t.numpy(force=force)  # type: ignore[no-any-return]
        if self.inner is not None:
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        return Tensor.numpy(self, force=force)

    def data_ptr(self) -> int:
        """The address of the first element; RuntimeError inside a transform."""
        if self.inner is not None:
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        return Tensor.data_ptr(self)


def _data(self: Lifted) -> Tensor:
    """The same memory, off the tape of its own level; RuntimeError for a tensor of a vmap."""
    if self.batch_dim is not None:
        raise RuntimeError("accessing `data` under vmap transform is not allowed")
    t = self._live()
    if t.__class__ is not Lifted or t.inner is None:
        return _plain_data.fget(t)  # type: ignore[no-any-return]
    return wrapped_like(t, t.inner)  # type: ignore[no-any-return]


def refuse_mapped_data(tensor: Any) -> None:
    """RuntimeError for a tensor that a vmap maps over, where `.data` is set."""
    if tensor.__class__ is Lifted and tensor.batch_dim is not None:
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")


def _set_data(self: Lifted, value: Tensor) -> None:
    """Tensor.data, set; RuntimeError for a tensor of a transform."""
    refuse_mapped_data(self)
    if self.level is not None and self.inner is not None and self.level.refuses:
        refuse_mapped_data(value)
        raise RuntimeError("mutating directly with `.data` inside functorch transform is not allowed.")
    _plain_data.fset(self, value)


_plain_data: Any = Tensor.data
setattr(Lifted, "data", property(_data, _set_data, _plain_data.fdel))
Lifted.__name__ = Lifted.__qualname__ = "Tensor"
Lifted.__module__ = "torch"

DATA_DEPENDENT = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)


def refuse_backward() -> None:
    """RuntimeError inside a transform, where `.backward()` has no meaning."""
    if any(x.kind != "dual" for x in levels):
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )


def refuse_captured(tensor: Tensor, name: str) -> None:
    """RuntimeError inside grad, vjp or jvp for an in-place op, `aten::name`, on a tensor from outside of it."""
    if levels and differentiating_above(tensor.level if tensor.__class__ is Lifted else None) is not None:
        from backscope.func.transform_errors import captured

        raise captured(f"aten::{name}")


def refuse_requires_grad() -> None:
    """RuntimeError inside a transform, which alone says what is differentiated."""
    if any(x.refuses for x in levels):
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) "
            "inside of a function being transformed by a functorch transform. This is unsupported, please attempt to "
            "use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside "
            "of a function being transformed instead."
        )


def refuse_retain_grad() -> None:
    """RuntimeError inside a transform, which returns the gradients that are asked for."""
    if any(x.kind != "dual" for x in levels):
        raise RuntimeError(
            "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch "
            "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
            "jacfwd, hessian) or call retain_grad() outside of a function being transformed instead."
        )


def wrapped(inner: Tensor, level: Level, batch_dim: int | None = None) -> Any:
    """`inner` as a tensor of `level`, which maps over `batch_dim` of it where the level is a vmap."""
    t: Any = _new(Lifted)
    t._dtype = inner._dtype
    t._requires_grad = False
    t._grad_fn = t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
    t.inner, t.level, t.batch_dim = inner, level, batch_dim
    synchronize(t)
    return t


def refuse_views(results: Any) -> None:
    """RuntimeError in inference mode inside grad or jvp for a view of an ordinary tensor, which would be wrapped."""
    for result in results:
        below = result
        while below.__class__ is Lifted and below.inner is not None:
            below = below.inner
        if below is not None and not below.is_inference():
            raise RuntimeError("Cannot set version_counter for inference tensor")


def wrapped_like(tensor: Any, inner: Any) -> Any:
    """`inner` at the level of `tensor`."""
    return wrapped(inner, tensor.level, tensor.batch_dim)


def synchronize(t: Any) -> None:
    """Let a wrapper's value be its inner tensor's, as that is now."""
    if t.batch_dim is None:
        t._data = t.inner._data
        return
    array = t.inner._array()
    t._data = stand_in(array, t.batch_dim)


def tensors_in(values: Any) -> Iterator[Tensor]:
    """The tensors among arguments, also those in lists and tuples."""
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from tensors_in(v)


def replaced(values: Any, change: Callable[[Any], Any]) -> list[Any]:
    """Arguments with each tensor, also those in lists and tuples, changed."""
    return [
        change(v)
        if isinstance(v, Tensor)
        else type(v)(replaced(v, change))
        if v.__class__ is list or v.__class__ is tuple
        else v
        for v in values
    ]


def tangent_of(tensor: Any) -> Any:
    """The tangent of a tensor at its level; None where it has none or its dual level is over."""
    if not forward_mode.enabled:
        return None
    if tensor.__class__ is not Lifted:
        return _inherited(tensor) if tensor._view is not None and tensor._view.base.__class__ is Lifted else None
    found = tensor.tangent
    if found is None:
        return _inherited(tensor) if tensor._view is not None else None
    return found if tensor.tangent_level is not None and tensor.tangent_level.is_open else None


def _inherited(view: Any) -> Any:
    """The tangent of a view whose base got one since: the same view of it."""
    base = view._view.base
    found = base.tangent if base.__class__ is Lifted else None
    if found is None or not base.tangent_level.is_open:
        return None
    part = _viewed_alike(view, base, found)
    set_tangent(view, part)
    return part


def _viewed_alike(view: Any, base: Any, tangent: Any) -> Any:
    """The tangent of a view of `base`: the same view of the base's tangent."""
    from backscope.autograd.views.view_history import replayed
    from backscope.tensor.strides import geometry, offset_in_storage

    if view._view.replay is not None:
        return replayed(view._view.replay, tangent)
    shape, strides, offset = geometry(base._array(), view._array())
    return tangent.as_strided(shape, strides, offset_in_storage(tangent._array()) + offset)


def laid_out_like(tangent: Any, primal: Any) -> Any:
    """A new tensor for a tangent, placed in its memory as its primal is, mapped over as `tangent` is."""
    from backscope.tensor.strides import element_strides

    array = primal._array()
    strides = element_strides(array)
    offset = primal.storage_offset() if isinstance(array, np.ndarray) else 0
    if not offset or (tangent.__class__ is Lifted and tangent.batched):
        return tangent.new_empty_strided(array.shape, strides)
    reach = 1 + sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
    return tangent.new_empty_strided((offset + reach,), (1,)).as_strided(array.shape, strides, offset)


def _in_layout(tangent: Any, primal: Any) -> Any:
    """A tangent that lies in memory as its primal does, so that views of the one are views of the other."""
    own, wanted = tangent._data, primal._data
    if own.strides == wanted.strides or own.itemsize != wanted.itemsize or own.shape != wanted.shape:
        return tangent
    if all(n == 1 or a == b for n, a, b in zip(own.shape, own.strides, wanted.strides, strict=True)) or not own.size:
        return tangent
    if any(n > 1 and not b for n, b in zip(own.shape, wanted.strides, strict=True)):
        return tangent
    listener, hub.listener = hub.listener, None
    try:
        return laid_out_like(tangent, primal).copy_(tangent)
    finally:
        hub.listener = listener


def dual_level() -> Level | None:
    """The open level of forward mode."""
    return next((x for x in reversed(levels) if x.kind == "dual"), None)


def set_tangent(tensor: Any, tangent: Any) -> None:
    """Give a tensor a tangent for as long as the dual level is open; it becomes a dual tensor in place."""
    if tensor.__class__ is not Lifted:
        tensor.__class__ = Lifted
    tensor.tangent = _in_layout(tangent, tensor)
    tensor.tangent_level = dual_level()


class SavedLifted(SavedResult):
    """A node's own output that is lifted, as the node saved it."""

    __slots__ = ("lifted",)

    lifted: dict[str, Any]

    def lift(self, out: Any) -> None:
        """Make an ordinary tensor of the saved value what the output was."""
        out.__class__ = Lifted
        out.__dict__.update(self.lifted)


def lifted_state(out: Any) -> dict[str, Any] | None:
    """What makes a tensor a lifted one; None for an ordinary tensor."""
    if out.__class__ is not Lifted:
        return None
    return {name: getattr(out, name) for name in ("inner", "level", "batch_dim", "tangent", "tangent_level")}


def keep_lifted(out: Any, node: Any = None, number: int | None = None) -> None:
    """Let the node of an op's output know it as lifted where it saved it."""
    node = out._grad_fn if node is None else node
    number = out._output_nr or 0 if number is None else number
    if node is None or not node.saved or not any(e.__class__ is SavedResult for e in node.saved):
        return
    lifted = lifted_state(out)
    entries = []
    for e in node.saved:
        if e.__class__ is SavedResult and e.output_nr == number:
            saved: Any = _new(SavedLifted)
            saved._data, saved._dtype, saved._shared, saved.output_nr = e._data, e._dtype, e._shared, e.output_nr
            saved.lifted = lifted
            e = saved
        entries.append(e)
    node.saved = tuple(entries)


def refuse_dynamic(tensor: Tensor, name: str) -> None:
    """RuntimeError inside vmap for a function whose result's shape depends on the values of `tensor`."""
    if tensor.__class__ is Lifted and isinstance(tensor._data, Absent):
        from backscope.func.transform_errors import dynamic_shape

        raise dynamic_shape(name)


NO_ALLCLOSE = (
    "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues "
    "if you need this feature."
)


def refuse_reading(tensors: tuple[Any, ...], text: str) -> None:
    """RuntimeError inside vmap for a function that gives no tensor."""
    if any(isinstance(t, Lifted) and isinstance(t._data, Absent) for t in tensors):
        raise RuntimeError(text)
