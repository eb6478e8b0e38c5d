"""Elementwise ops: one compute function per element, with PyTorch's broadcasting, type promotion and in-place forms.

    @elementwise(symbol="×", ...)
    class mul:
        def forward(self: A, other: A) -> A: return self * other
        ...

declares `torch.mul`, `Tensor.mul` and `Tensor.mul_` at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.level import used
from backscope.autograd.views.lazy_views import follow, lazies
from backscope.autograd.views.view_history import check_in_place, requires_grad
from backscope.ops.core.arguments.number_casts import check_alpha, check_integer
from backscope.ops.core.declaration import Op, primitives, xp
from backscope.ops.core.dispatch import only_inference, raw_kept, wrap
from backscope.ops.core.namespace import public
from backscope.ops.core.overwriting import overwriting
from backscope.ops.core.specialize import compile_binary, compile_unary
from backscope.ops.core.tracking import attempted, packed_before, preserved, record_in_place, renew, track_elementwise
from backscope.ops.core.unsupported import TENSOR_ONLY, no_kernel, refusals, refuse
from backscope.ops.core.writing import check_overlap, check_written, store, watchers
from backscope.runtime.given import Array, Option, Value
from backscope.runtime.listening import hub, refusing
from backscope.tensor import meta
from backscope.tensor.dtype import (
    LOW_PRECISION,
    STORED_ONLY,
    cast,
    default,
    dtype,
    float32,
    of_number,
    promote_types,
    result_type,
)
from backscope.tensor.strides import arranged, repeats_elements
from backscope.tensor.subclass import spread, subclassed
from backscope.tensor.tensor import Tensor

NUMBERS = (int, float, complex, bool)


def elementwise(
    *,
    result: str = "same",
    names: tuple[str, ...] = (),
    inplace: bool = True,
    exported: bool = True,
    compute: Callable[..., Any] | None = None,
    **options: Option,
) -> Callable[[type], Any]:
    """Declare an elementwise op.

    `result` is the type computed in and given: "same" as promotion has it, "float" for at least floating point,
    "bool" for comparisons (computed in the promoted type).  `compute` is a quicker equal of `forward` for like
    operands.  `names` are further public names; an op that is not `exported` has none.
    """

    def declare(body: type) -> Any:
        name = options.pop("name", body.__name__.rstrip("_"))
        op = primitives[name] = Op(name, body, {"broadcasts": True, **options})
        op.elementwise = True
        inputs = len(op.inputs)
        op.weighted = inputs == 2 and op.attrs == ["alpha"]

        def slow(*args: Any) -> Any:
            return apply_elementwise(op, result, args)

        plain = not op.attrs and len(op.parameters) == inputs
        if result == "bool" or op.whole is not None or op.kept or not op.tracked:
            call = slow
        elif inputs == 1 and set(op.attrs) <= set(op.parameters):
            call = compile_unary(op, compute or op.forward, slow)
        elif inputs == 2 and len(op.parameters) - inputs <= 1 and (plain or op.attrs == ["alpha"]):
            call = slow if op.grad_fn == "NotImplemented" else compile_binary(op, compute or op.forward, slow)
        else:
            call = slow
        op.call = call
        op.slow = slow
        write = overwriting(op)
        op.call_in_place = lambda *args: args[0] if write(*args) else apply_in_place(op, result, args)
        setattr(xp, name, _polymorphic(call if inputs == 1 or plain else slow, op.forward))
        if exported:
            public(op, names=(name, *names), inplace=inplace)
        return op

    return declare


def _polymorphic(call: Callable[..., Any], forward: Callable[..., Any]) -> Callable[..., Any]:
    def either(a: Value, *rest: Any) -> Any:
        if isinstance(a, Tensor) or (rest and isinstance(rest[0], Tensor)):
            return call(a, *rest)
        return forward(a, *rest)

    either.forward = forward  # type: ignore[attr-defined]
    return either


def operands(op: Op, values: tuple[Any, ...]) -> list[Any] | None:
    """Return the inputs as Tensors and Python numbers; None where one can't be an input.

    Optional inputs may be None.
    """
    found: list[Any] = []
    for v in map(plain, values):
        if (
            isinstance(v, Tensor)
            or (v is None and op.optional)
            or (isinstance(v, NUMBERS) and (op.name not in TENSOR_ONLY or not found))
        ):
            found.append(v)
        else:
            return None
    return found


def plain(value: Value) -> Value:
    """Return a NumPy scalar as the Python number that PyTorch treats it as; anything else is returned unchanged.

    Bools, and complex scalars of NumPy, become real numbers.

    Raises: OverflowError for an integer that takes more than 64 bits.
    """
    if value.__class__ is int:
        check_integer(value)
        return value
    if not isinstance(value, np.generic):
        return value
    if isinstance(value, np.bool_):
        return float(value)
    if isinstance(value, (np.complex64, np.clongdouble)):
        return float(value)
    return value.item()


def common_dtype(values: list[Any]) -> dtype:
    """Return PyTorch's promoted dtype of Tensors and numbers."""
    dimensioned: dtype | None = None
    zero_dim: dtype | None = None
    number: dtype | None = None
    for v in values:
        if v is None:
            continue
        if isinstance(v, Tensor):
            if v._data.ndim:
                dimensioned = v._dtype if dimensioned is None else promote_types(dimensioned, v._dtype)
            else:
                zero_dim = v._dtype if zero_dim is None else promote_types(zero_dim, v._dtype)
        else:
            kind = of_number(v)
            number = kind if number is None else promote_types(number, kind)
    return result_type(dimensioned, zero_dim, number)


def raw(value: Value, kind: dtype) -> Array:
    """A Tensor's value or a number as a raw value of type `kind`."""
    if value is None:
        return None
    if isinstance(value, Tensor):
        return cast(value._data, kind)
    if isinstance(value, complex) and not kind.is_complex:
        value = value.real
    return np.asarray(value).astype(kind.np)[()]


def single(op: Op, place: int, value: Value, kind: dtype) -> Array:
    """Convert a value for a kernel of a low precision type, which computes in float32 and rounds once.

    A number as second operand of × and ÷ is not rounded to the type first.
    """
    if op.torch_name in _EXACT_NUMBERS and place == 1:
        if not isinstance(value, Tensor):
            return np.float32(value)
        if not value._data.ndim:
            return cast(value._data, float32)
    narrow = raw(value, kind)
    return None if narrow is None else cast(narrow, float32)


_EXACT_NUMBERS = frozenset({"mul", "div"})
_ROUNDED_ATTRIBUTES = frozenset({"rsub", "pow_base", "remainder_number", "fmod_number"})


_STORED_KERNELS = {"add": "add_stub", "sub": "add_stub", "exp": "exp_vml_cpu", "mul": "mul_cpu_reduced_float"}
_STORED_OPS = frozenset({"abs", "eq", "ne", "isnan", "where"})


def _refuse_stored(name: str, kind: dtype, values: list[Any]) -> None:
    """Raise NotImplementedError for what a type of 8 bits can't do: nearly everything."""
    if name == "mul" and len(values) > 1 and isinstance(values[1], Tensor) and values[1]._data.ndim:
        return
    if name.rstrip("_") not in _STORED_OPS:
        raise no_kernel(_STORED_KERNELS.get(name, name + "_cpu"), kind)


def evaluate(op: Op, kind: dtype, values: list[Any], attributes: tuple[Any, ...]) -> Array:
    """Compute the op on raw values of one type; RuntimeError where the shapes don't broadcast."""
    if kind in STORED_ONLY:
        _refuse_stored(op.torch_name, kind, values)
    try:
        return _evaluated(op, kind, values, attributes)
    except (ValueError, NotImplementedError):  # PyTorch looks for a kernel after it has the shape of the result.
        attempted(*values)
        common_shape([*attributes, *values])
        raise


def common_shape(values: list[Any]) -> tuple[int, ...]:
    """The shape that the tensors among values broadcast to; RuntimeError where there is none."""
    common: tuple[int, ...] = ()
    for v in values:
        if isinstance(v, Tensor):
            common = broadcast_shape(common, v._data.shape)
    return common


def _evaluated(op: Op, kind: dtype, values: list[Any], attributes: tuple[Any, ...]) -> Any:
    if op.name in refusals:
        refuse(op.name, kind, [*values, *attributes[:1]] if op.name == "rsub" else values)
    low = kind in LOW_PRECISION or kind in STORED_ONLY
    stepwise = low and op.low is not None
    raws = (
        [single(op, i, v, kind) for i, v in enumerate(values)]
        if low and not stepwise
        else [raw(v, kind) for v in values]
    )
    attributes = tuple([raw_kept(a) for a in attributes])
    if low and op.name in _ROUNDED_ATTRIBUTES:
        attributes = (float(np.asarray(attributes[0]).astype(kind.np)), *attributes[1:])
    found = op.low(*raws, *attributes) if low and op.low is not None else op.forward(*raws, *attributes)
    return cast(found, kind) if low and found.dtype == np.float32 else found


def broadcast_shape(a: Value, b: Value) -> tuple[int, ...]:
    """The common shape of two; RuntimeError where there is none."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise mismatch(a, b) from None


def mismatch(a: Value, b: Value) -> RuntimeError:
    """The error for shapes that don't broadcast."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            at = max(len(a), len(b)) - back
            return RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at non-singleton "
                f"dimension {at}"
            )
    return RuntimeError(f"The shapes {list(a)} and {list(b)} can't be broadcast together")


def _as_read(value: Tensor, kind: dtype) -> Any:
    """Convert an operand as kernels do: a cast gives an expanded operand memory of its own."""
    data = value._data
    cast_first = value._dtype is not kind and isinstance(data, np.ndarray) and 0 in data.strides
    return np.ascontiguousarray(data) if cast_first else data


@refusing
def apply_elementwise(op: Op, result: str, args: tuple[Any, ...]) -> Value:
    """Run an elementwise op on whatever it was given; NotImplemented for operands that PyTorch doesn't take either."""
    count = len(op.inputs)
    values = operands(op, args[:count])
    if values is None:
        return NotImplemented
    attributes = tuple(map(plain, args[count:])) or tuple([op.defaults[p] for p in op.parameters[count:]])
    if used:
        from backscope.func.lifting import lift

        lifted = lift(op, (*values, *attributes), op.slow)
        if lifted is not None:
            return lifted
    kind = common_dtype(values)
    if op.weighted:
        check_alpha(attributes[0], kind)
    if result == "float" and kind.category < 2:
        kind = default.floating
    renew(values)
    data = evaluate(op, kind, values, attributes)
    if data.ndim > 1:
        read = [_as_read(v, kind) for v in values if isinstance(v, Tensor)]
        if op.leading is not None:
            leading = (*values, *attributes)[op.parameters.index(op.leading)]
            read.insert(0, leading._data if isinstance(leading, Tensor) else leading)
        data = arranged(data, read)
    if meta.used:
        data = meta.spread([v for v in values if isinstance(v, Tensor)], data)
    out = wrap(data, kind)
    if subclassed:
        spread([v for v in values if isinstance(v, Tensor)], out)
    node = None
    if mode.enabled and op.tracked:
        tensors = [v if isinstance(v, Tensor) else None for v in values]
        if any(t is not None and t._requires_grad for t in tensors) and not only_inference(
            (*values, *attributes) if op.kept else values
        ):
            node = track_elementwise(op, tensors, (*values, *attributes), out)
    if hub.listener is not None:
        hub.listener.op(op.name, op, (*values, *attributes), (out,), node)
    return out


@refusing
def apply_in_place(op: Op, result: str, args: tuple[Any, ...]) -> Value:
    """Run an elementwise op and store its result in the first input, which is returned."""
    target: Tensor = args[0]
    count = len(op.inputs)
    values = operands(op, args[:count])
    if values is None:
        return NotImplemented
    attributes = tuple(map(plain, args[count:])) or tuple([op.defaults[p] for p in op.parameters[count:]])
    if used:
        from backscope.func.lifting import lift_in_place

        lifted = lift_in_place(op, (*values, *attributes), op.call_in_place, fit=True)
        if lifted is not None:
            return lifted
    tracked = mode.enabled and any(isinstance(v, Tensor) and requires_grad(v) for v in values)
    check_in_place(target, tracked)
    renew(values[1:])
    if not tracked and op.into is not None and _alike(target, values, attributes):
        check_overlap(target, values[1:])
        if watchers:
            watchers[-1](target)
        if hub.keeper is not None:
            hub.keeper.before_change(target._data)
        op.into(target._data, *[v._data if isinstance(v, Tensor) else v for v in values[1:]], *attributes)
        target._counter()[0] += 1
        if lazies:
            follow(target)
        if hub.listener is not None:
            hub.listener.op(op.torch_name + "_", op, (*values, *attributes), (target,), None, in_place=True)
        return target
    check_written(target)
    check_overlap(target, values[1:])
    numbers = [a for a in attributes if isinstance(a, NUMBERS)] if op.promotes else []
    kind = common_dtype([*values, *numbers])
    if op.name in refusals and (op.weighted or op.name in _STRICT):
        refuse(op.name, kind, values)
    if op.weighted:
        check_alpha(attributes[0], kind)
    if result == "float" and kind.category < 2:
        kind = default.floating
    if kind.category > target._dtype.category and (result != "bool" or op.name.startswith("bitwise")):
        _check_size(target, common_shape([*attributes, *values]))
        raise RuntimeError(
            f"result type {kind.type_name} can't be cast to the desired output type {target._dtype.type_name}"
        )
    data = evaluate(op, kind, values, attributes)
    _check_size(target, data.shape)
    before = target._counter()[0]
    replaced = preserved(op, target, values) if tracked and op.tracked else None
    tensors = [v if isinstance(v, Tensor) else None for v in values]
    early = packed_before(op, tensors, (*values, *attributes), replaced) if tracked and op.tracked else None
    store(target, data)
    node = None
    if tracked and op.tracked:
        node = record_in_place(op, target, tensors, (*values, *attributes), replaced, before, early)
    if hub.listener is not None:
        hub.listener.op(op.torch_name + "_", op, (*values, *attributes), (target,), node, in_place=True)
    return target


_STRICT = frozenset({"lerp", "lerp_number"})
"""Ops that refuse operands of several types; in place they check this first."""


def _check_size(target: Tensor, shape: tuple[int, ...]) -> None:
    if shape != target._data.shape:
        raise RuntimeError(
            f"output with shape {list(target._data.shape)} doesn't match the broadcast shape {list(shape)}"
        )


def _alike(target: Tensor, values: list[Any], attributes: tuple[Any, ...]) -> bool:
    """Return True for numbers and floating point arrays of one shape and type: the result can be written at once."""
    data, kind = target._data, target._dtype
    if not kind.wide or data.__class__ is not np.ndarray or not all(a.__class__ in _REAL for a in attributes):
        return False
    for v in values[1:]:
        if v.__class__ in _REAL:
            continue
        if not isinstance(v, Tensor) or v._dtype is not kind or v._data.shape != data.shape:
            return False
    return not repeats_elements(data)


_REAL = frozenset({int, float})
