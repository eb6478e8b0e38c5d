"""In-place forms of ops that are not elementwise: mutate() writes a result into a tensor and records it."""

from __future__ import annotations

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.level import used
from backscope.autograd.views.view_history import check_in_place, requires_grad
from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import raw_kept
from backscope.ops.core.tracking import packed_before, preserved, record_in_place, renew
from backscope.ops.core.writing import check_overlap, check_written, store, warn_if_expanded
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor


def mutate(
    name: str,
    target: Tensor,
    *rest: Value,
    reported_as: str | None = None,
    expanded: bool = False,
    deprecated: tuple[str, str] | None = None,
    apart: bool = False,
    alias: bool = False,
) -> Tensor:
    """Store the result of an op in `target`, its first input, and make the op that tensor's history.

    The listener gets the name `reported_as`, by default the op's name and an underscore.  Some ops may write to
    `expanded` tensors; where that is `deprecated`, a warning names the op and an example.  With `apart`, sources that
    share memory with the target are refused; with `alias`, they may share all or some of it.

    Raises: RuntimeError where PyTorch refuses the change.
    """
    op = primitives[name]
    args = (target, *rest)
    if used:
        from backscope.func.lifting import lift_in_place

        def change(*lifted: Value) -> Tensor:
            return mutate(
                name,
                *lifted,
                reported_as=reported_as,
                expanded=expanded,
                deprecated=deprecated,
                apart=apart,
                alias=alias,
            )

        lifted = lift_in_place(op, args, change, fit=False)
        if lifted is not None:
            return lifted  # type: ignore[no-any-return]
    tensors = [args[p] for p in op.positions]
    tracked = mode.enabled and any(isinstance(t, Tensor) and requires_grad(t) for t in tensors)
    check_in_place(target, tracked)
    if expanded and target._view is not None and target._view.lazy is not None:
        check_written(target)  # PyTorch copies the values back to a view that it negates or conjugates lazily.
    if deprecated is not None:
        warn_if_expanded(target, *deprecated)
    renew(tensors[1:])
    raws = [a._data if p in op.positions and isinstance(a, Tensor) else a for p, a in enumerate(args)]
    for p in op.kept_positions:
        raws[p] = raw_kept(raws[p])
    data = op.forward(*raws)
    tracked = tracked and op.tracked
    if np.shape(data) != target._data.shape:
        raise RuntimeError(
            f"Bad in-place call: input tensor size {list(target._data.shape)} and output tensor size "
            f"{list(np.shape(data))} should match"
        )
    before = target._counter()[0]
    replaced = preserved(op, target, tensors) if tracked else None
    if not expanded and not alias:
        check_overlap(target, [a for a in rest if isinstance(a, Tensor)], apart=apart)
    early = packed_before(op, tensors, args, replaced) if tracked else None
    store(target, data, expanded=expanded)
    node = record_in_place(op, target, tensors, args, replaced, before, early, fit=False) if tracked else None
    if hub.listener is not None:
        hub.listener.op(reported_as or name + "_", op, args, (target,), node, in_place=True)
    return target
