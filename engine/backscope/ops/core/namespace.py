"""The public names of the ops: functions of `torch`, methods of Tensor, functions of `torch.nn.functional`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from backscope.ops.core.arguments.argument_checks import Checks, NeedsNormalizing, normalized_arguments
from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.arguments.out_dtypes import ROWS, check_dtype
from backscope.ops.core.arguments.out_memory import (
    SIZED_FIRST,
    fitted,
    give_layout,
    give_refused_shape,
    give_shape,
    written_part,
)
from backscope.ops.core.arguments.signatures import TAKING_NUMBERS, check, shown, signatures
from backscope.ops.core.unsupported import TENSOR_ONLY
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

torch_functions: dict[str, Callable[..., Any]] = {}
functional: dict[str, Callable[..., Any]] = {}
linalg: dict[str, Callable[..., Any]] = {}
aten_functions: dict[str, Callable[..., Any]] = {}
"""Ops with an internal name only."""


def argument_error(name: str, parameter: str, position: int, value: Value, wanted: str = "Tensor") -> TypeError:
    """Return the error for an argument that is not of the `wanted` type."""
    return TypeError(f"{name}(): argument '{parameter}' (position {position}) must be {wanted}, not {type_name(value)}")


def bind(op: Op, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments of a call in the op's order, defaults filled in; TypeError with PyTorch's text."""
    if not kwargs and len(args) == len(op.parameters):
        bound = list(args)
    else:
        values = dict(zip(op.parameters, args, strict=False))
        if len(args) > len(op.parameters):
            raise TypeError(f"{name}() takes {len(op.parameters)} positional arguments but {len(args)} were given")
        for key, value in kwargs.items():
            key = "self" if key == "input" and "input" not in op.parameters else key
            if key not in op.parameters or key in values:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            values[key] = value
        missing = [p for p in op.parameters if p not in values and p not in op.defaults]
        if missing:
            raise TypeError(
                f'{name}() missing {len(missing)} required positional arguments: "{", ".join(missing)}"'.replace(
                    '"self', '"input'
                )
            )
        bound = [values.get(p, op.defaults.get(p)) for p in op.parameters]
    return tuple(bound)


def _second_is_tensor(space: str, name: str, place: int) -> bool:
    """Return True when every PyTorch signature takes a tensor, and no number, as the second operand."""
    if name in TAKING_NUMBERS:
        return False
    overloads = [s for s in signatures(space, name) if not s.hidden]
    return bool(overloads) and all(
        len(s.parameters) > place and s.parameters[place].kind.name == "Tensor" for s in overloads
    )


def _calling(op: Op, space: str, name: str) -> Any:
    """Return a function that calls an elementwise op by its name in a namespace; a method for the space Tensor."""
    if name.startswith("special_"):
        space, name = "special", name.removeprefix("special_")
    inputs = len(op.inputs)
    first = 0 if space == "Tensor" else 1
    refuses_numbers = op.name in TENSOR_ONLY or (inputs == 2 and _second_is_tensor(space, name, first))
    fits = Checks(space, name)

    def function(*args: Any, out: Value = None, **kwargs: Any) -> Any:
        try:
            if not kwargs and out is None and len(args) == inputs < 3 and isinstance(args[0], Tensor):
                if refuses_numbers and not isinstance(args[1], Tensor):
                    raise argument_error(op.name, op.inputs[1], first + 1, args[1])
                quick = op.call(*args)
                if quick is not NotImplemented:
                    return quick
            if out is not None:
                from backscope.ops.core.arguments.out_tracking import check_tracked
                from backscope.ops.core.writing import announce

                check_tracked(op.torch_name, op.torch_name, (*args, *kwargs.values()), (out,))
                if isinstance(out, Tensor):
                    announce(out)
            if args and not isinstance(args[0], Tensor):
                check(space, name, args, kwargs)
            elif args and not fits(args, kwargs):
                raise NeedsNormalizing
            bound = bind(op, name, args, kwargs)
            if not isinstance(bound[0], Tensor) and not any(isinstance(b, Tensor) for b in bound):
                if name in TAKING_NUMBERS and isinstance(bound[0], (int, float, complex)):
                    return function(torch_functions["tensor"](bound[0]), *args[1:], out=out, **kwargs)
                raise argument_error(op.name, "input", 1, bound[0])
            if refuses_numbers and not isinstance(bound[0], Tensor):
                raise argument_error(op.name, "input", 1, bound[0])
            plain = len(bound) == len(op.inputs) and isinstance(bound[0], Tensor)
            if isinstance(out, Tensor):
                from backscope.ops.core.writing import check_written

                check_written(out)
            try:
                found = op.call(*bound) if plain else op.slow(*bound)
            except NotImplementedError as error:
                if out is not None:
                    give_refused_shape(out, op.torch_name, bound[: len(op.inputs)], error)
                raise
            if found is NotImplemented:
                for i, b in enumerate(bound[: len(op.inputs)]):
                    if not isinstance(b, (Tensor, int, float, complex)):
                        raise argument_error(op.name, "input" if i == 0 else op.inputs[i], i + first, b)
            if out is not None:
                from backscope.ops.core.arguments.out_tracking import leave_underived
                from backscope.ops.core.writing import check_overlap

                check_overlap(out, bound[: len(op.inputs)])
                found, rule = fitted(op.torch_name, bound[0], found, out)
                write_out(out, found, rule, sources=bound)
                leave_underived(op.torch_name, args, out)
                return out
            return found
        except Exception:
            args, kwargs = normalized_arguments(space, name, args, kwargs if out is None else {**kwargs, "out": out})  # type: ignore[assignment]
        return function(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.takes_out = True  # type: ignore[attr-defined]
    function.checked = space == "Tensor", shown(space, name)  # type: ignore[attr-defined]
    function.__doc__ = f"The elementwise op {op.name}; see the op catalogue."
    return function


def public(op: Op, *, names: tuple[str, ...], inplace: bool = False, method: bool = True) -> None:
    """Publish an elementwise op as `torch.NAME`, `Tensor.NAME` and, where `inplace`, `Tensor.NAME_`."""

    for name in names:
        torch_functions[name] = _calling(op, "torch", name)
        if method:
            alone = len(op.parameters) == 1 and name == op.name
            setattr(Tensor, name, op.call if alone else _calling(op, "Tensor", name))

    if inplace:
        count = len(op.inputs) - 1
        further = op.parameters[count + 1 :]
        optional = all(p in op.defaults for p in further)
        last = further[0] if len(further) == 1 else None

        def change(self: Tensor, *args: Any, **kwargs: Any) -> Any:
            bound: tuple[Any, ...]
            if len(args) == count and optional and not kwargs:
                bound = (self, *args)
            elif len(args) == count and len(kwargs) == 1 and last in kwargs:
                bound = (self, *args, kwargs[last])
            else:
                bound = bind(op, op.name + "_", (self, *args), kwargs)
            found = op.call_in_place(*bound)
            if found is NotImplemented:
                raise argument_error(op.name + "_", op.inputs[1], 1, bound[1])
            return found

        change.__name__ = change.__qualname__ = op.name + "_"
        for name in names:
            setattr(Tensor, name + "_", change if name == op.name else alias(change, name + "_"))


def write_out(out: Tensor, found: Tensor, name: str, place: int | None = None, sources: Values = ()) -> Tensor:
    """Write the result of an op into the `out=` tensor; refuses tensors that require grad and other dtypes.

    `place` is the position among several results.
    """
    from backscope.autograd.modes.grad_mode import mode, no_grad
    from backscope.autograd.transforms.dual_tensor import tangent_of
    from backscope.autograd.transforms.level import levels
    from backscope.autograd.transforms.tensor_arguments import tensors_in
    from backscope.ops.core.arguments.out_tracking import is_recorded, is_underived, refuses_none

    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    tracked = mode.enabled and (out._requires_grad or found._requires_grad) and not is_recorded(name)
    if tracked and not refuses_none(name):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    dual = bool(levels) and any(tangent_of(t) is not None for t in (out, found, *tensors_in(sources)))
    if dual and is_underived(name):
        raise NotImplementedError(f"Trying to use forward AD with aten::{name} that does not support it.")
    if name in SIZED_FIRST or (name == "matmul" and found._data.ndim > 2):
        give_shape(out, found._data.shape, name)
    check_dtype(name, found._dtype, out._dtype, place)
    if name in ROWS and out._data.size == found._data.size:
        found = found.reshape(out._data.shape)  # type: ignore[attr-defined]
    else:
        give_layout(out, found, name)
    out_part, found = written_part(out, found, name)
    if tracked:
        with no_grad():
            out_part.copy_(found)
    elif dual:
        _write_beside_tangents(out_part, found)
        raise NotImplementedError(
            f"Trying to use forward AD with {name.partition('.')[0]}_out that does not support it because it is an "
            "out= function"
        )
    elif levels:
        _write_beside_transforms(out_part, found)
    else:
        out_part.copy_(found)
    return out


def _write_beside_tangents(out: Value, found: Value) -> None:
    """Write a result into `out` without its tangent: PyTorch refuses the tangents when the values are written."""
    from backscope.autograd.modes.forward_mode import forward_mode

    enabled, forward_mode.enabled = forward_mode.enabled, False
    try:
        _write_beside_transforms(out, found)
    finally:
        forward_mode.enabled = enabled


def _write_beside_transforms(out: Value, found: Value) -> Tensor:
    """Write into `out` inside transforms, where it may be from outside: there a constant is the value it wraps."""
    from backscope.autograd.transforms.level import only_up_to
    from backscope.autograd.transforms.transform_tensor import TransformTensor

    level = out.level if out.__class__ is TransformTensor else None
    value = found
    while value.__class__ is TransformTensor and value.level is not level and value.level is not None:
        if value._requires_grad or value.batch_dim is not None:
            return out.copy_(found)  # type: ignore[no-any-return]
        value = value.inner
    with only_up_to(level):
        return out.copy_(value)  # type: ignore[no-any-return]


def internal(function: Callable[..., Any]) -> Callable[..., Any]:
    """Publish a Python function in `torch.ops.aten` alone."""
    aten_functions[function.__name__] = function
    return function


def alias(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A copy of a function under another name, which is its `__name__` too."""
    if not isinstance(function, FunctionType):
        return function
    made = FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    made.__kwdefaults__, made.__doc__, made.__dict__ = function.__kwdefaults__, function.__doc__, dict(vars(function))
    made.__module__, made.__qualname__, made.__annotations__ = function.__module__, name, function.__annotations__
    return made


def export(
    *names: str, function: bool = True, method: bool = True, nn: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Publish a Python function under `names` (its own name by default)."""

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        if names and (f.__name__.startswith("_") or f.__name__ not in names):
            f.__name__ = f.__qualname__ = names[0]
        for name in names or (f.__name__,):
            if function:
                torch_functions[name] = f if name == f.__name__ else alias(f, name)
            if method:
                setattr(Tensor, name, f)
            if nn:
                functional[name] = f
        return f

    return decorate
