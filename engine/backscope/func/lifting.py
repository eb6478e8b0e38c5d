"""Ops on tensors of a transform: they run at the level below, then the level's tape and tangents are recorded."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.dual_tensor import laid_out_like, set_tangent, tangent_of
from backscope.autograd.transforms.level import Level, differentiating_above, levels, only_up_to, transforms_ignored
from backscope.autograd.transforms.saved_transform_tensor import save_transform_state
from backscope.autograd.transforms.tensor_arguments import replaced, tensors_in
from backscope.autograd.transforms.transform_tensor import TransformTensor, refuse_views, synchronize, wrapped
from backscope.func.randomness import DRAWING, check_mapped, check_unmapped, mapping_levels, own_numbers_above
from backscope.func.tangent import tangents_of
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch.mode_stack import watched

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

Run = Callable[..., Any]


# Any: an op, or an object with the attributes of one that are read here.
def lift(op: Any, args: tuple[Any, ...], run: Run) -> Values:
    """Return the result of `run(*args)`, an op, at the innermost level of its arguments; None for an ordinary call."""
    found, args, top = _innermost(op, args)
    if levels and op.name in DRAWING:
        level = own_numbers_above(top)
        if level is not None:
            return lift(op, _for_each(level, args), run)
    elif levels and not op.view:
        level = differentiating_above(top)
        if level is not None:
            return _made_inside(level, args, run)
    if found is None:
        return _intercepted("forward", op, args, run) if watched else None
    if found is _CHANGED:
        return run(*args)
    with only_up_to(top):
        if top is None:
            return _dual(op, args, run)
        if top.kind == "vmap":
            from backscope.func.batching import batched

            if op.name in DRAWING:
                check_mapped(top)
            with only_up_to(top, without=True):
                return batched(top, op, args, run)
        args = tuple(replaced(args, lambda t: _raised(t, top)))
        result = _below(top, _alias if op.name == "fw_primal" else run, args)
        if result is NotImplemented:
            return result
        several = isinstance(result, tuple)
        results = result if several else (result,)
        if mode.inference and not top.inference:
            refuse_views(results)
        outputs = tuple([None if r is None else wrapped(r, top) for r in results])
        for t in tensors_in(args):
            synchronize(t)
        record(op, args, outputs)
        _give_tangents(op, args, outputs)
        node = next((o._grad_fn for o in outputs if o is not None and o._grad_fn is not None), None)
        for number, out in enumerate(outputs):
            if out is not None and node is not None:
                save_transform_state(out, node, number)
        return outputs if several else outputs[0]


def lift_in_place(op: Op, args: tuple[Any, ...], run: Run, *, fit: bool) -> Value:
    """Run an op inside transforms that stores its result in its first argument; returns that argument."""
    found, args, top = _innermost(op, args)
    if levels and differentiating_above(top) is not None:
        from backscope.func.transform_errors import captured_mutation

        raise captured_mutation(op, args)
    if op.name in DRAWING and not (top is not None and top.kind == "vmap"):
        check_unmapped()
    if found is None:
        return _intercepted("in_place", op, args, run) if watched else None
    if found is _CHANGED:
        return run(*args)
    with only_up_to(top):
        if top is None:
            return _dual_in_place(op, args, run)
        if top.kind == "vmap":
            from backscope.func.batching import batched_in_place

            if op.name in DRAWING:
                mapping_levels()
            with only_up_to(top, without=True):
                return batched_in_place(top, op, args, run)
        return _changed_in_place(top, op, args, run, fit)


def _for_each(level: Level, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Repeat the tensors among arguments for each example of a vmap, so that each draws its own numbers."""
    with only_up_to(level, without=True):
        return tuple(replaced(args, lambda t: wrapped(t.expand(level.size, *t.shape), level, 0)))


def _made_inside(level: Level, args: tuple[Any, ...], run: Run) -> Any:
    """Run an op on tensors from outside `level`; its results are constants of the level that it may change in place.

    Views of tensors from outside are left unchanged: nothing may be written through them.
    """
    with only_up_to(level, without=True):
        result = run(*args)
    if isinstance(result, tuple):
        return tuple([wrapped(r, level) if isinstance(r, Tensor) else r for r in result])
    return wrapped(result, level) if isinstance(result, Tensor) else result


def _intercepted(how: str, op: Op, args: tuple[Any, ...], run: Run) -> Any:
    """Return the result of the program's __torch_dispatch__ for an op on ordinary tensors; None without a handler."""
    from backscope.torch_dispatch import interception

    return getattr(interception, how)(op, args, run)


def _changed_in_place(top: Level, op: Op, args: tuple[Any, ...], run: Run, fit: bool) -> Any:
    from backscope.autograd.views.view_history import check_in_place, requires_grad
    from backscope.ops.core.namespace import torch_functions
    from backscope.ops.core.tracking import record_in_place

    target: Any = args[0]
    if not (isinstance(target, TransformTensor) and target.level is top):
        from backscope.func.transform_errors import captured_mutation

        raise captured_mutation(op, args)
    args = tuple(replaced(args, lambda t: _raised(t, top)))
    tensors = [args[p] if isinstance(args[p], Tensor) else None for p in op.positions]
    tracked = op.tracked and mode.enabled and any(t is not None and requires_grad(t) for t in tensors)
    check_in_place(target, tracked)
    dual = None
    if any(t is not None and tangent_of(t) is not None for t in tensors):
        dual = tangents_of(op, args, (target,), before=True)
    kept = torch_functions["clone"](target) if tracked and op.inputs[0] in op.slots else None
    _below(top, run, args)
    target._counter()[0] += 1
    for t in tensors_in(args):
        synchronize(t)
    if tracked:
        record_in_place(op, target, tensors, args, kept, target._counter()[0] - 1, fit=fit)
    if dual is not None:
        _replace_tangent(target, dual[0], op)
    save_transform_state(target)
    return target


_FOUND, _CHANGED = object(), object()


def _innermost(op: Op, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], Level | None]:
    """Return whether an argument is lifted, the arguments, and the innermost level among them.

    The first is None without lifted arguments.  Arguments of closed levels are replaced by the tensors that they wrap;
    where nothing else is lifted, the call has changed.
    """
    found: Any = None
    dead = False
    top: Level | None = None
    for t in tensors_in(args):
        if t.__class__ is not TransformTensor:
            if t._view is not None and tangent_of(t) is not None:
                found = _FOUND
            continue
        level: Level | None = t.level
        if level is None:
            found = found or (_FOUND if tangent_of(t) is not None else None)
        elif not level.is_open:
            dead = True
        else:
            found = _FOUND
            if top is None or level.serial > top.serial:
                top = level
    if dead:
        lifted = [t for t in tensors_in(args) if t.__class__ is TransformTensor and t.batch_dim is not None]
        if any(t.level is not None and not t.level.is_open for t in lifted):
            from backscope.func.transform_errors import escaped

            raise escaped(op.name)
        args = tuple(replaced(args, lambda t: t._live() if t.__class__ is TransformTensor else t))
        found, args, top = _innermost(op, args)
        return found or _CHANGED, args, top
    return found, args, top


def _raised(tensor: Value, level: Level) -> Any:
    """Return a tensor at `level`: itself, or wrapped as a constant."""
    if tensor.__class__ is TransformTensor and tensor.level is level:
        return tensor
    return wrapped(tensor, level)


def _below(level: Level, run: Run, args: tuple[Any, ...]) -> Any:
    """Run an op on what its arguments wrap, at the level below."""
    with only_up_to(level, without=True):
        return run(*replaced(args, lambda t: t.inner))


def _alias(tensor: Value) -> Any:
    """Return an alias of a level's primal at the level below."""
    from backscope.ops.core.declaration import primitives

    return primitives["alias"].apply(tensor)


def record(op: Op, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    """Put the node of an op on the tape of its arguments' level, and make its outputs views where they are."""
    from backscope.autograd.views.view_history import attach_view
    from backscope.ops.core.dispatch import track
    from backscope.ops.core.tracking import track_elementwise

    if op.listed:
        (p,) = op.positions
        tensors = list(args[p])
    else:
        tensors = [args[p] if isinstance(args[p], Tensor) else None for p in op.positions]
    for t in tensors:
        if t is not None and t._view is not None:
            t._view.renew(t)
    if op.view:
        attach_view(op, tensors[0], outputs, args)
    if mode.enabled and op.tracked and any(t is not None and t._requires_grad for t in tensors):
        if op.elementwise:
            track_elementwise(op, tensors, args, outputs[0])
        else:
            track(op, tensors, args, outputs)


def _dual(op: Op, args: tuple[Any, ...], run: Run) -> Any:
    """Run an op on dual tensors of the ordinary tape."""
    with transforms_ignored():
        result = run(*args)
    if result is NotImplemented:
        return result
    outputs = result if isinstance(result, tuple) else (result,)
    _give_tangents(op, args, outputs)
    return result


def _dual_in_place(op: Op, args: tuple[Any, ...], run: Run) -> Any:
    target = args[0]
    found = tangents_of(op, args, (target,), before=True)
    with transforms_ignored():
        result = run(*args)
    if found is not None:
        _replace_tangent(target, found[0], op)
        save_transform_state(target)
        _report_tangent(op, target)
    return result


def _replace_tangent(target: Value, tangent: Value, op: Op) -> None:
    """Give a tensor that `op` changed in place its new tangent, in the memory of its old one or of its base's."""
    old = tangent_of(target)
    if old is None and target._view is not None and target._view.base is not None:
        base = target._view.base
        if tangent_of(base) is None:
            set_tangent(base, laid_out_like(tangent, base).zero_())
            old = tangent_of(target)
    if old is None:
        set_tangent(target, tangent.clone())
    elif op.name in ("fill", "zero"):
        old.zero_()  # The tangent of an expanded tensor is set to zeros too.
    elif tangent is not old or old.__class__ is not TransformTensor:
        old.copy_(tangent)


def _give_tangents(op: Op, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    """Give the outputs of an op their tangents, and what its node saved of them too."""
    found = tangents_of(op, args, outputs)
    if found is None:
        return
    for out, tangent in zip(outputs, found, strict=True):
        if out is not None and tangent is not None:
            set_tangent(out, tangent)
            save_transform_state(out)
            _report_tangent(op, out)


def _report_tangent(op: Op, out: Value) -> None:
    from backscope.runtime.listening import hub

    if hub.listener is not None and out.inner is None:
        hub.listener.tangent_computed(out, 0, op.name, out.tangent)


def become_transform_tensor(op: Op, target: Value, args: tuple[Any, ...]) -> None:
    """Turn the wrapped tensor and its tangent into the view that the tensor is about to become."""
    from backscope.ops.core.dispatch import apply

    tangent = tangent_of(target)
    if tangent is not None:
        target.tangent = apply(op, tangent, *args)
    if target.inner is None or not target.level.is_open:
        return
    with only_up_to(target.level, without=True):
        if target.batch_dim is None:
            target.inner = apply(op, target.inner, *args)
            return
        from backscope.func.batching import batched

        target.inner = batched(target.level, op, (target, *args), partial(apply, op)).inner
        target.batch_dim = 0
        synchronize(target)
