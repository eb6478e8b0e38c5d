"""Tangents of an op's outputs from those of its inputs, by the op's one declaration.

A linear op is applied to the tangents.  The gradient formula of an elementwise op of real numbers is its own
transpose.  For any other op the gradients are a linear function of the incoming gradient: its transpose, taken by
the tape, is the product with the Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.evaluation import in_formula
from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import accumulator
from backscope.autograd.transforms.dual_tensor import tangent_of
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped_like
from backscope.autograd.views.lazy_views import is_conj, is_neg, viewed_array
from backscope.func.randomness import DRAWING
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.dtype import complex128, dtype, float64, promote_types
from backscope.tensor.tensor import Tensor, alias

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

_new = object.__new__


def tangents_of(op: Op, args: tuple[Any, ...], outputs: tuple[Any, ...], *, before: bool = False) -> list[Any] | None:
    """The tangent of each output, None for one that has none; None where no input has a tangent.

    `before` an in-place op, which is yet to overwrite its first input.
    """
    if not op.tracked or not forward_mode.enabled:
        return None
    given = list(args[op.positions[0]]) if op.listed else [args[p] for p in op.positions]
    tangents = [tangent_of(t) if isinstance(t, Tensor) else None for t in given]
    if not any(t is not None for t in tangents):
        return None
    if not any(o is not None and o._dtype.category >= 2 for o in outputs):
        return None
    if op.name in _UNSUPPORTED:
        raise _unsupported(_UNSUPPORTED[op.name])
    listener, hub.listener = hub.listener, None
    try:
        primals = _without_tangents(args)
        if before:
            from backscope.ops.core.dispatch import apply

            operands = primals
            if mode.enabled and any(is_recorded(t) for t in (*given, *tangents) if isinstance(t, Tensor)):
                primals, tangents = _kept(op, primals, tangents)
            run: Callable[..., Any] = op.slow if op.elementwise else lambda *a: apply(op, *a)
            outputs = (run(*primals),)
            found = [_overwritten(o, operands[0], outputs[0]) for o in operands[1:]]
            primals = [primals[0], *[p if f is None else f for p, f in zip(primals[1:], found, strict=True)]]
        else:
            outputs = tuple([None if o is None else primal_of(o) for o in outputs])
        return _computed(op, primals, tangents, outputs, numbers_decide=not before and not in_formula)
    except RuntimeError as error:
        if str(error).startswith("derivative for ") and str(error).endswith(" is not implemented"):
            raise _unsupported(op.torch_name) from error
        raise
    finally:
        hub.listener = listener


def is_recorded(tensor: Value) -> bool:
    """Return True when the tape of a tensor's level, or of one below, recorded it."""
    while tensor is not None:
        if tensor._requires_grad:
            return True
        tensor = tensor.inner if tensor.__class__ is TransformTensor else None
    return False


def _kept(op: Any, primals: list[Any], tangents: list[Any]) -> tuple[list[Any], list[Any]]:
    """Copy the arguments that an in-place op overwrites: nodes of the tangents may save them."""
    from backscope.ops.core.namespace import torch_functions

    target, clone = primals[0], torch_functions["clone"]
    kept = clone(target)
    return (
        [kept if p is target else p for p in primals],
        [
            clone(t) if t is not None and primals[p] is target else t
            for p, t in zip(op.positions, tangents, strict=True)
        ],
    )


def _overwritten(operand: Value, target: Value, result: Value) -> Any:
    """Return an in-place op's target after the op, the operand that PyTorch's formulas use; None for other operands."""
    if not isinstance(operand, Tensor) or _place(operand) is None or _place(operand) != _place(target):
        return None
    if result._dtype is not target._dtype:
        result = result.to(target._dtype)
    if is_conj(operand) is not is_conj(target):
        result = result.conj()
    return -result if is_neg(operand) is not is_neg(target) else result


def _place(tensor: Value) -> Any:
    """Return a tensor's address, shape and strides; None for one of a vmap, or without memory."""
    while tensor.__class__ is TransformTensor and tensor.inner is not None:
        if tensor.batch_dim is not None:
            return None
        tensor = tensor.inner
    array = viewed_array(tensor)
    return None if array is None else (array.__array_interface__["data"][0], array.shape, array.strides)


def _without_tangents(args: Any) -> list[Any]:
    return [
        primal_of(a)
        if isinstance(a, Tensor)
        else a.__class__([primal_of(x) if isinstance(x, Tensor) else x for x in a])
        if a.__class__ is list or a.__class__ is tuple
        else a
        for a in args
    ]


def primal_of(tensor: Value) -> Value:
    """A tensor without its tangent: the same value on the same tape."""
    if tensor.__class__ is not TransformTensor or tangent_of(tensor) is None:
        return tensor
    if tensor.inner is not None:
        out = wrapped_like(tensor, tensor.inner)
    else:
        out = alias(tensor, tensor._data)
    out._shared = tensor._counter()
    if tensor._view is not None:
        tensor._view.renew(tensor)
    out._requires_grad = tensor._requires_grad
    out._grad_fn, out._output_nr = tensor._grad_fn, tensor._output_nr
    if out._requires_grad and out._grad_fn is None:
        out.__dict__["edge"] = accumulator(tensor)
        out._accumulator = tensor._accumulator
    return out


def _computed(
    op: Any, args: list[Any], tangents: list[Any], outputs: tuple[Any, ...], *, numbers_decide: bool
) -> list[Any]:
    from backscope.func.tangent_rules import rules

    rule = rules.get(op.name)
    if rule is not None:
        found = rule(args, tangents, outputs)
    elif op.name in DRAWING:
        found = [or_zeros(None, o) for o in outputs]
    elif op.listed or op.view or is_linear(op):
        found = applied(op, args, tangents, outputs)
    elif op.elementwise and op.whole is None and not any(_is_complex(t) for t in (*outputs, *tangents)):
        found = [_by_formula(op, args, tangents, outputs)]
    else:
        found = transposed(op, args, tangents, outputs)
    wide = _wider(op, args, tangents, outputs, numbers_decide)
    return [t if o is None or t is None else _fitting(t, o, wide) for t, o in zip(found, outputs, strict=True)]


_OF_TENSORS = frozenset({"add", "sub", "mul", "div"})
"""Ops that treat a Python number as a tensor without dims."""


def _wider(
    op: Any, args: list[Any], tangents: list[Any], outputs: tuple[Any, ...], numbers_decide: bool
) -> dtype | None:
    """The dtype by which tangents are wider than their primals, None where they are not.

    Inside jvp a Python number is an ordinary tensor, of double precision, to the ops on tangents: it decides beside
    those without dims, but in a gradient's formula.  What is computed of a wider tangent is wider too.
    """
    if op.name == "to_copy":
        return None
    wide: dtype | None = None
    out = outputs[0]
    dims = 0 if out is None else len(out._data.shape)
    given = args[op.positions[0]] if op.listed else [args[p] for p in op.positions]
    for t, x in zip(tangents, given, strict=True):
        if t is None or t._dtype is x._dtype or (op.elementwise and len(t._data.shape) < dims):
            continue
        if promote_types(t._dtype, x._dtype) is t._dtype:
            wide = t._dtype if wide is None else promote_types(wide, t._dtype)
    if (
        numbers_decide
        and not dims
        and op.name in _OF_TENSORS
        and out.__class__ is TransformTensor
        and out.level is not None
    ):
        number = next((a for a in given if isinstance(a, (float, complex))), None)
        if number is not None and out.level.kind == "jvp":
            double = float64 if isinstance(number, float) else complex128
            wide = double if wide is None else promote_types(wide, double)
    return wide


def _is_complex(t: Value) -> bool:
    return t is not None and t._dtype.is_complex


def _fitting(tangent: Value, out: Value, wide: dtype | None) -> Any:
    """A tangent in the shape and dtype of its primal, or in a wider dtype."""
    if tangent._data.shape != out._data.shape:
        tangent = tangent.expand(out.shape)
    kind = out._dtype if wide is None else promote_types(out._dtype, wide)
    return tangent if tangent._dtype is kind else tangent.to(kind)


_UNSUPPORTED = {
    "embedding_bag": "_embedding_bag",
    "igamma": "igamma",
    "igammac": "igammac",
    "ctc_loss": "_ctc_loss",
    "multi_margin_loss": "multi_margin_loss",
    "multilabel_margin_loss": "multilabel_margin_loss_forward",
    "scaled_dot_product_flash_attention_for_cpu": "_scaled_dot_product_flash_attention_for_cpu",
    "cdist_forward": "_cdist_forward",
    "pdist_forward": "_pdist_forward",
    "geqrf": "geqrf",
    "ormqr": "ormqr",
    "weight_norm_interface": "_weight_norm_interface",
    "grid_sampler_2d": "grid_sampler_2d",
    "grid_sampler_3d": "grid_sampler_3d",
}
"""Ops that have no forward mode in PyTorch, with PyTorch's names for them."""


def _unsupported(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"Trying to use forward AD with {name} that does not support it because it has not been implemented yet.\n"
        "Please file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml "
        "so that we can prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
    )


def is_linear(op: Op) -> bool:
    """Return True for an op with gradients that don't depend on its inputs' values: linear up to a constant."""
    return bool(op.formulas) and not op.slots and not op.elementwise and op.whole is None


def applied(op: Op, args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
    """Apply a linear op to the tangents, with zeros for missing ones and for filled-in values."""
    from backscope.ops.core.dispatch import apply

    if op.listed:
        (p,) = op.positions
        values = list(args)
        values[p] = [or_zeros(t, x) for t, x in zip(tangents, args[p], strict=True)]
    else:
        values = list(args)
        for p, name, t in zip(op.positions, op.inputs, tangents, strict=True):
            if name in op.formulas and isinstance(args[p], Tensor):
                values[p] = or_zeros(t, args[p])
        if "value" in op.parameters and "value" not in op.inputs:
            values[op.parameters.index("value")] = 0
    found = apply(op, *values)
    return list(found) if isinstance(found, tuple) else [found]


def or_zeros(tangent: Value, primal: Value) -> Value:
    """Return a tangent, or zeros like the primal value where there is none."""
    from backscope.ops.core.namespace import torch_functions

    if tangent is not None:
        return tangent
    return torch_functions["zeros_like"](primal.detach()) if isinstance(primal, Tensor) else 0


def _environment(op: Any, args: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
    """Return the names in the op's formulas but the incoming gradient: saved tensors and attributes."""
    from backscope.ops.core.dispatch import attributes

    slots = [
        args[position] if result is None else outputs[result]
        for result, position in zip(op.result_slots, op.slot_positions, strict=True)
    ]
    tensors = args[op.positions[0]] if op.listed else [args[p] for p in op.positions]
    tensors = [t if isinstance(t, Tensor) else None for t in tensors]
    return [*slots, *(attributes(op, tensors, args) if op.attrs else ())]


def _by_formula(op: Any, args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> Any:
    """Sum the gradient formulas of an elementwise op of real numbers, each applied to its own tangent."""
    needs = tuple([t is not None for t in tangents])
    environment = _environment(op, args, outputs)
    total: Any = None
    for position, formula, indices in op.plan(needs).steps:
        values = [tangents[position], *environment]
        part = formula(*[values[i] for i in indices])
        total = part if total is None else total + part
    return total


def transposed(op: Op, args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
    """Apply the transpose of the op's gradients, a linear function of the incoming ones, to the tangents."""
    from backscope.autograd.backward_and_grad import grad
    from backscope.ops.core.declaration import evaluate
    from backscope.ops.core.dispatch import saved_hooks

    count = op.differentiable if op.differentiable is not None else len(outputs)
    given = args[op.positions[0]] if op.listed else [args[p] for p in op.positions]
    needs = tuple([t is not None for t in tangents])
    environment = _environment(op, args, outputs)
    before, mode.enabled = mode.enabled, True
    hooks = list(saved_hooks)  # The program's hooks must not run for tensors saved and read in here.
    saved_hooks.clear()
    try:
        dummies = [None if o is None else _dummy(o) for o in outputs[:count]]
        incoming: Any = dummies if op.multi else dummies[0]
        gradients = evaluate(op.plan(needs).steps, [incoming, *environment], len(op.inputs))
        pairs = [
            (g.sum_to_size(x.shape) if g.shape != x.shape else g, t)
            for g, x, t in zip(gradients, given, tangents, strict=True)
            if g is not None and t is not None
        ]
        pairs = [(g, t.to(g._dtype) if t._dtype is not g._dtype else t) for g, t in pairs if g._requires_grad]
        wanted = [d for d in dummies if d is not None]
        if pairs:
            found = list(
                grad([g for g, _ in pairs], wanted, [t for _, t in pairs], create_graph=True, allow_unused=True)
            )
        else:
            found = [None] * len(wanted)
    finally:
        mode.enabled = before
        saved_hooks[:] = hooks
    following = iter(found)
    results: list[Any] = []
    for out, dummy in zip(outputs, [*dummies, *[None] * (len(outputs) - count)], strict=True):
        if dummy is None:
            results.append(None)
            continue
        tangent = next(following)
        tangent = or_zeros(None, out) if tangent is None else tangent
        if not before:
            tangent = tangent.detach() if tangent.__class__ is not TransformTensor else _off_tape(tangent)
        results.append(tangent)
    return results


def _off_tape(t: Value) -> Any:
    return t.detach() if t.inner is None else wrapped_like(t, t.inner)


def _dummy(out: Value) -> Any:
    """Return ones like an output, tracked at its level, to differentiate by: formulas with logarithms fail at 0."""
    from backscope.ops.core.namespace import torch_functions

    t = torch_functions["ones_like"](out.detach())
    if (
        out.__class__ is TransformTensor
        and out.inner is not None
        and not (t.__class__ is TransformTensor and t.level is out.level)
    ):
        t = wrapped_like(out, t)
    t._requires_grad = True
    return t
