"""An op as the reader wrote it: `mask == 0`, `x[:, 1:3]`, `reshape(x)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from backscope.caption.number import MINUS, numeral
from backscope.protocol import events as ev
from backscope.protocol.op_names import argument_text, name_of, sign_of, symbol_of
from backscope.protocol.sentences import tables

_WRITTEN = tables()["written"]
_OPERANDS = frozenset(_WRITTEN["operands"])
_FILLING = ("masked_fill", "value")
_ROUNDING_MODES = ("'floor'", "'trunc'")
_REVERSED = re.compile(r"^rsub$|^pow_base$|_of_number$")
_SIDES = ("self", "other", "exponent", "mat2", "vec", "tensor")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNCLEAR = re.compile(r"^[−-]|[⁰¹²³⁴-⁹]$|\^[^)\]]*$")
"""Bases that begin with a sign or end in an exponent, which another one would apply to a part of only."""
_LAST = 2**62
_MOST_DIMS = 4
_MOST_ARGUMENTS = 12


def power(exponent: str, base: str) -> str:
    """Return a base with its exponent, raised if that is a small whole number: `x²`, else `x^n`."""
    base = f"({base})" if _UNCLEAR.search(base) else base
    whole = exponent.removesuffix(".0")
    if re.fullmatch(r"\d{1,2}", whole, re.ASCII):
        return f"{base}{whole.translate(_SUPERSCRIPTS)}"
    return f"{base}^{exponent.replace('-', MINUS, 1)}"


def is_reversed(op: str) -> bool:
    """Return True if the first argument of an op is written on the right."""
    return _REVERSED.search(op) is not None


def of(op: str, inputs: Sequence[ev.Argument], tensor_text: Callable[[int], str], operand: Callable[[int], str]) -> str:
    """Return an op with its arguments as text; `operand` writes a tensor, in brackets if its text has several words."""
    sided = [numeral(one.text) if one.tensor is None else operand(one.tensor) for one in inputs if one.name in _SIDES]
    operands = [one for one in sided if one is not None]
    tensors = [operand(one.tensor) for one in inputs if one.tensor is not None]
    both = operands if len(operands) == 2 else tensors
    name, sign = name_of(op, inputs), sign_of(op)
    left, right = (reversed(both) if is_reversed(op) else both) if len(both) == 2 else ("", "")
    if symbol_of(op) == "^" and len(both) == 2:
        return power(right, left)
    if sign is not None and len(both) == 2:
        alpha = numeral(argument_text(inputs, "alpha")) or "1"
        return f"{left} {sign} {'' if alpha == '1' else f'{alpha} × '}{right}"
    if len(tensors) == 1 and name == "neg":
        return f"{MINUS}{tensors[0]}"
    if len(tensors) == 1 and name in ("bitwise_not", "logical_not"):
        return f"~{tensors[0]}"
    part = _part(name, inputs, tensors)
    return part or f"{name}({', '.join(_arguments(name, inputs[::-1] if is_reversed(op) else inputs, tensor_text))})"


def _part(name: str, inputs: Sequence[ev.Argument], tensors: list[str]) -> str | None:
    """Return the text of an index, such as `x[0]`, `x[:, 1:3]` or `x[rows]`; None for any other op."""
    if name == "index" and tensors:
        plain = all(one.tensor is not None and one.name == f"indices[{i}]" for i, one in enumerate(inputs[1:]))
        return f"{tensors[0]}[{', '.join(tensors[1:]) if plain and tensors[1:] else '…'}]"
    dim = argument_text(inputs, "dim")
    if len(tensors) != 1 or dim is None or not re.fullmatch(r"\d+", dim, re.ASCII) or int(dim) >= _MOST_DIMS:
        return None
    before, index = ":, " * int(dim), argument_text(inputs, "index")
    if name == "select" and index is not None:
        return f"{tensors[0]}[{before}{index.replace('-', MINUS, 1)}]"
    if name != "slice":
        return None
    start, end, step = (_bound(argument_text(inputs, one)) for one in ("start", "end", "step"))
    stride = "" if step in ("", "1") else f":{step}"
    return f"{tensors[0]}[{before}{'' if start == '0' else start}:{end}{stride}]"


def _bound(text: str | None) -> str:
    if text is None or not re.fullmatch(r"-?\d+", text, re.ASCII) or abs(int(text)) > _LAST:
        return ""
    return text.replace("-", MINUS, 1)


def _arguments(name: str, inputs: Sequence[ev.Argument], tensor_text: Callable[[int], str]) -> list[str]:
    """Return the arguments in the order of a call: the tensors, and of some ops the numbers that matter most.

    Of many, as in a stack of a batch, these are the first ones and the last.
    """
    order = ("condition", "self", "other")
    given = [one for place in order for one in inputs if one.name == place] if name == "where" else inputs
    shown: list[str] = []
    for one in given:
        value = f"{MINUS}inf" if one.text == "-inf" else numeral(one.text)
        if one.tensor is not None:
            shown.append(tensor_text(one.tensor))
        elif value is not None and (name == "where" or one.name in _OPERANDS or (name, one.name) == _FILLING):
            shown.append(value)
        elif value is not None and name == "clamp" and one.name in ("min", "max"):
            shown.append(f"{one.name}={value}")
        elif one.name == "rounding_mode" and one.text in _ROUNDING_MODES:
            shown.append(f"{one.name}={one.text}")
    return shown if len(shown) <= _MOST_ARGUMENTS else [*shown[: _MOST_ARGUMENTS // 2], "…", shown[-1]]
