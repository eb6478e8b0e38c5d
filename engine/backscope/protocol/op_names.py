"""The names and signs of ops for readers: `linalg.inv` for the engine's `linalg_inv_ex`, `//` for `floor_divide`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backscope.protocol import events as ev
from backscope.protocol.sentences import tables

_WRITTEN = tables()["written"]
_INFIX: dict[str, str] = _WRITTEN["infix"]
_NAMES: dict[str, str] = _WRITTEN["names"]
_SIGNS: dict[str, str] = _WRITTEN["signs"]
_SIGN_VARIANT = re.compile(f"_({'|'.join(_WRITTEN['sign_variants'])})$")
_VARIANT = re.compile(f"_({'|'.join(_WRITTEN['variants'])})$")
_MODULE = re.compile(f"^({'|'.join(_WRITTEN['modules'])})_")
_GRADIENTS = "_backward"
_NUMBER = re.compile(r"\d+")


def name_of(op: str, inputs: Sequence[ev.Argument] = ()) -> str:
    """Return the name of an op for readers."""
    if op == "clone" and argument_text(inputs, "memory_format") == "torch.contiguous_format":
        return "contiguous"
    if op.startswith("fft_"):
        return _transform_name(op, inputs)
    bare, is_in_place = _bare(op)
    of_gradients = bare.endswith(_GRADIENTS) and bare not in _NAMES
    forward = _VARIANT.sub("", bare.removesuffix(_GRADIENTS)) if of_gradients else bare
    name = _NAMES.get(forward) or _MODULE.sub(r"\1.", forward)
    return name + (_GRADIENTS if of_gradients else "") + ("_" if is_in_place else "")


def sign_of(op: str) -> str | None:
    """Return the sign between the operands of an op, such as `+` or `==`; None for an op that is written by name."""
    symbol = symbol_of(op)
    if symbol and symbol.rstrip("=") != "^":
        return symbol
    bare, is_in_place = _bare(op)
    sign = _INFIX.get(bare)
    if sign is None or not is_in_place:
        return sign
    return None if sign[0] in "=!<>" else f"{sign}="


def is_power(op: str) -> bool:
    """Return True if an op is a power, in place or not."""
    return symbol_of(op).rstrip("=") == "^"


def symbol_of(op: str) -> str:
    """Return the sign of an op, with `=` if the op is in place; empty if it has none."""
    stem, is_in_place = _stem(op)
    if is_in_place:
        sign = _SIGNS.get(stem)
        return "" if sign is None else f"{sign}="
    return _SIGNS.get(stem) or _SIGNS.get(_SIGN_VARIANT.sub("", stem), "")


def argument_text(inputs: Sequence[ev.Argument], name: str) -> str | None:
    """Return the text of an op's argument, None where it has none of that name."""
    return next((one.text for one in inputs if one.name == name), None)


def _bare(op: str) -> tuple[str, bool]:
    """Return the name of an op without the endings of variants, and True if the op is in place."""
    stem, is_in_place = _stem(op)
    return (stem if stem in _NAMES else _VARIANT.sub("", stem)), is_in_place


def _stem(op: str) -> tuple[str, bool]:
    """Return the name of an op without the underscores around it, and True if the op is in place."""
    plain = re.sub(r"^__(\w+)__$", r"\1", op)
    stem = plain.rstrip("_") or plain
    return stem, stem != plain


def _transform_name(op: str, inputs: Sequence[ev.Argument]) -> str:
    """Return the name of a Fourier transform: its arguments decide which function of torch.fft it is."""
    name = _NAMES.get(op, op)
    if op == "fft_r2c" and argument_text(inputs, "onesided") == "False":
        name = "fft.fft"
    elif op == "fft_c2c" and argument_text(inputs, "forward") == "False":
        name = "fft.ifft"
    return f"{name}n" if len(_NUMBER.findall(argument_text(inputs, "dim") or "")) > 1 else name
