"""Translation of a declared op's call to PyTorch's internal op: overload, positional arguments and keywords.

Declared ops take all arguments by position, in an order of their own.  The parameters of torch.ops.aten's op and its
overloads come from PyTorch's schemas; `ATEN_NAMES` and `RENAMED` have the names that differ.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from backscope.ops.names.aten import OpOverload, packet, schemas
from backscope.runtime.aten_names import ATEN_NAMES
from backscope.runtime.given import Value
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

_INTERNAL = {declared: internal for internal, declared in ATEN_NAMES.items()}

_OVERLOADS: dict[str, str] = {
    "bernoulli_number": "bernoulli.p",
    "bernoulli_tensor": "bernoulli.Tensor",
    "clamp": "clamp.default",
    "clamp_max": "clamp_max.default",
    "clamp_min": "clamp_min.default",
    "clamp_tensors": "clamp.Tensor",
    "copysign_number": "copysign.Scalar",
    "div_mode": "div.Tensor_mode",
    "div_unrounded": "div.Tensor_mode",
    "fill": "fill.Scalar",
    "fill_tensor": "fill.Tensor",
    "fmod_number": "fmod.Scalar",
    "index_accumulate": "index_put.default",
    "index_fill": "index_fill.int_Scalar",
    "index_fill_tensor": "index_fill.int_Tensor",
    "lerp": "lerp.Tensor",
    "lerp_number": "lerp.Scalar",
    "max_all": "max.default",
    "max_dim": "max.dim",
    "mean_all": "mean.default",
    "mean_dim": "mean.dim",
    "min_all": "min.default",
    "min_dim": "min.dim",
    "pow_base": "pow.Scalar",
    "pow_scalar": "pow.Tensor_Scalar",
    "pow_tensor": "pow.Tensor_Tensor",
    "remainder_number": "remainder.Scalar",
    "remainder_of_number": "remainder.Scalar_Tensor",
    "round_decimals": "round.decimals",
    "reshape_alias": "view.default",
    "rsub": "rsub.Scalar",
    "scatter": "scatter.src",
    "scatter_value": "scatter.value",
    "scatter_with": "scatter.reduce",
    "sort": "sort.default",
    "sort_op": "sort.stable",
    "split": "split.Tensor",
    "squeeze": "squeeze.default",
    "squeeze_dim": "squeeze.dim",
    "squeeze_dim_": "squeeze_.dim",
    "squeeze_dims": "squeeze.dims",
    "squeeze_dims_": "squeeze_.dims",
    "sum": "sum.dim_IntList",
    "sum_all": "sum.default",
    "unbind": "unbind.int",
    "where": "where.self",
    "xlogy_number": "xlogy.Scalar_Other",
    "xlogy_of_number": "xlogy.Scalar_Self",
} | {f"{name}_scalar": f"{name}.Scalar" for name in ("add", "sub", "mul", "div")}
"""The overloads of declared ops that do not depend on the arguments."""

RENAMED: dict[str, str] = {
    "beta": "limit",
    "delta": "limit",
    "dims": "dim",
    "grad": "grad_output",
    "input": "self",
    "input_sizes": "shape",
    "out": "result",
    "output": "result",
    "p": "ord",
    "self_is_result": "is_result",
    "self": "input",
    "source": "src",
    "mask": "condition",
    "exponent": "other",
    "tensor": "other",
}
"""Declared parameters by the internal ones, where no declared one has the internal name."""

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
_TENSOR_FIRST = frozenset({"add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_", "true_divide"})
"""Ops with the overload of two tensors even for numbers: Python converts these to tensors."""


class Parameter(NamedTuple):
    """One parameter of a schema: its type, name and default; `required` without a default."""

    kind: str
    name: str
    default: object
    required: bool
    keyword: bool


@functools.cache
def parameters(name: str, overload: str) -> tuple[Parameter, ...]:
    """The parameters of an overload of an internal op."""
    found: list[Parameter] = []
    keyword = False
    for text in _split(schemas[name][overload]):
        if text == "*":
            keyword = True
            continue
        declared, _, default = text.partition("=")
        kind, _, parameter = declared.rpartition(" ")
        found.append(Parameter(kind, parameter, _default(default, kind), not default, keyword))
    return tuple(found)


def _split(text: str) -> list[str]:
    parts: list[str] = []
    depth = 0
    current = ""
    for c in text:
        depth += (c in "[(") - (c in "])")
        if c == "," and not depth:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    return [*parts, current.strip()] if current.strip() else parts


def _default(text: str, kind: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    if text == "Mean":
        return 1
    if text.startswith("["):
        return [int(n) for n in text[1:-1].split(",") if n]
    try:
        number: Any = int(text)
    except ValueError:
        try:
            number = float(text)
        except ValueError:
            return None if text in ("", "None") else text.strip("\"'")
    if "[" in kind:
        return [number] * int(kind[kind.index("[") + 1 : kind.index("]")] or 1)
    return number


def internal_name(op: Op, in_place: bool = False) -> tuple[str, str | None]:
    """The internal op of a declared one, and its overload where the arguments do not decide it."""
    name, _, overload = _OVERLOADS.get(op.name, _INTERNAL.get(op.name, op.torch_name)).partition(".")
    if in_place and not name.endswith("_"):
        name += "_"
        if overload and overload not in schemas.get(name, ()):
            overload = ""
    return name, overload or None


def aten_call(op: Op, args: tuple[Any, ...], in_place: bool = False) -> tuple[OpOverload, tuple[Any, ...], Any]:
    """Translate a declared op's call with complete arguments to an overload, its positional arguments and keywords.

    Arguments equal to their defaults are left out at the end, and among the keywords.
    """
    name, overload = internal_name(op, in_place)
    given = _named(op, args)
    if name not in schemas:
        return _unlisted(name, op, args)
    overload = overload or _chosen(name, given)
    values = [(p, _value(p, place, given, args, op)) for place, p in enumerate(parameters(name, overload))]
    return getattr(packet(name), overload), *_trimmed(values)


def by_names(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[OpOverload, tuple[Any, ...], Any] | None:
    """Translate a call of a function of torch to the internal op with the same parameters; None where none fits."""
    for overload in schemas[name]:
        expected = parameters(name, overload)
        positional = [p.name for p in expected if not p.keyword]
        given = dict(zip(positional, args, strict=False))
        given.update({"self" if k == "input" else k: v for k, v in kwargs.items()})
        fits = len(args) <= len(positional) and given.keys() <= {p.name for p in expected}
        if fits and all(p.name in given for p in expected if p.required):
            values = [(p, _shown(given[p.name], p) if p.name in given else p.default) for p in expected]
            return getattr(packet(name), overload), *_trimmed(values)
    return None


def declared_arguments(op: Op, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an internal op's call by the names that a declared op has for them; others are left out."""
    expected = parameters(name, next(iter(schemas[name])))
    if len(args) > len(expected) or not kwargs.keys() <= {p.name for p in expected}:
        return dict(zip(op.parameters, args, strict=False)) | kwargs
    given = {p.name: p.default for p in expected if not p.required}
    given |= dict(zip([p.name for p in expected], args, strict=False)) | kwargs
    found: dict[str, Any] = {}
    names = {p.name for p in expected}
    for place, p in enumerate(expected):
        internal = p.name
        if internal not in given:
            continue
        value = given[internal]
        alike = op.parameters[place] if place < len(op.parameters) and op.parameters[place] not in names else None
        declared = next((n for n in (internal, RENAMED.get(internal), alike) if n in op.parameters), None)
        if declared is not None and declared not in found:
            by_name = declared == "reduction" and isinstance(op.defaults.get("reduction"), str)
            found[declared] = next(k for k, v in _REDUCTIONS.items() if v == value) if by_name else value
    return found


def _trimmed(values: list[tuple[Parameter, Any]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments by position, without defaults at their end, and the keywords that have no defaults."""
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    kept = 0
    for p, value in values:
        plain = not p.required and _is_default(value, p)
        if not p.keyword:
            positional.append(value)
            kept = kept if plain else len(positional)
        elif not plain:
            keywords[p.name] = value
    return tuple(positional[:kept]), keywords


def _named(op: Op, args: tuple[Any, ...]) -> dict[str, Any]:
    if op.variadic:
        fixed = len(op.parameters) - 1
        return dict(zip(op.parameters, (*args[:fixed], args[fixed:]), strict=False))
    return dict(zip(op.parameters, args, strict=False))


def _unlisted(name: str, op: Op, args: tuple[Any, ...]) -> tuple[OpOverload, tuple[Any, ...], Any]:
    """Return the call of an op that PyTorch composes of others."""
    from backscope.ops.core.dispatch import apply
    from backscope.ops.names.aten import OpOverloadPacket, packets

    found = packets.get(name)
    if found is None:
        found = packets[name] = OpOverloadPacket(name, functools.partial(apply, op))
    return found.default, args, {}


def _chosen(name: str, given: dict[str, Any]) -> str:
    """Return the overload with the parameters that fit the arguments best."""
    best, most = "", -1.0
    for overload in schemas[name]:
        score = 0.0
        for p in parameters(name, overload):
            value = given.get(p.name, given.get(RENAMED.get(p.name, ""), _MISSING))
            if value is _MISSING:
                score -= 2 * p.required
                continue
            score += 1
            is_tensor = isinstance(value, Tensor)
            if p.kind.startswith("Scalar") and is_tensor:
                score -= 3
            elif p.kind == "Tensor" and not is_tensor:
                score -= 0 if name in _TENSOR_FIRST else 3
            elif p.kind.startswith("Scalar") and name in _TENSOR_FIRST and p.name == "other":
                score -= 3
        if score > most or not best:
            best, most = overload, score
    return best


_MISSING = object()


_CONSTANTS = {
    ("index_accumulate", "accumulate"): True,
    ("softmax", "half_to_float"): False,
    ("log_softmax", "half_to_float"): False,
    ("leaky_relu_backward", "self_is_result"): False,
}
"""Arguments that internal ops always get and declared ops don't take."""


def _value(p: Parameter, place: int, given: dict[str, Any], args: tuple[Any, ...], op: Op) -> Any:
    """Return the argument of an internal op for a parameter."""
    value = given.get(p.name, _MISSING)
    if value is _MISSING:
        value = given.get(RENAMED.get(p.name, ""), _MISSING)
    if op.variadic and 0 < place <= len(args) - len(op.parameters) + 1 and not p.keyword:
        value = args[len(op.parameters) - 2 + place]
    if value is _MISSING and p.name == "input_dtype":
        value = args[0]._dtype
    if value is _MISSING and (op.name, p.name) in _CONSTANTS:
        value = _CONSTANTS[op.name, p.name]
    if value is _MISSING and p.required and p.kind.startswith("Tensor") and place < len(op.parameters):
        value = args[place]
    return p.default if value is _MISSING else _shown(value, p)


def _shown(value: Value, p: Parameter) -> Any:
    """An argument as PyTorch's dispatcher passes it: lists, plain numbers, reductions by number."""
    if isinstance(value, Tensor) or value is None or isinstance(value, (bool, dtype)):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    if "[" in p.kind and isinstance(value, int):
        return [int(value)]
    if p.name == "reduction" and isinstance(value, str):
        return _REDUCTIONS[value]
    return _plain(value)


def _plain(value: Value) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool):
        return value
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


def _is_default(value: Value, parameter: Parameter) -> bool:
    default = parameter.default
    if parameter.kind.startswith("Scalar") and type(value) is not type(default):
        return False
    if isinstance(value, Tensor) or isinstance(default, Tensor):
        return value is default
    if isinstance(value, list) and isinstance(default, list):
        return value == default or (len(default) == 1 and len(set(value)) == 1 and value[0] == default[0])
    return type(value) in (int, float, bool, str, type(None), list) and bool(value == default)
