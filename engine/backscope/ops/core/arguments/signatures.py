"""PyTorch's signatures of functions and methods, and the TypeErrors for arguments that fit none of them.

Signatures are parsed when a call first needs them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from backscope.ops.core.arguments.argument_types import Kind, kind_of, type_name
from backscope.ops.core.arguments.invalid_arguments import invalid_arguments
from backscope.tensor.tensor import Tensor

table: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_name("signatures.json").read_text("utf-8"))

NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
"""NumPy's names of parameters, which are accepted as keywords too."""

TAKING_NUMBERS = {"add", "div", "divide", "mul", "multiply", "sub", "subtract", "true_divide", "floor_divide", "copy"}
"""Functions that accept Python numbers in place of tensors."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature; `size` is the length of a list that may also be given as one number."""

    name: str
    kind: Kind
    size: int
    default: str | None
    takes_none: bool
    keyword_only: bool

    def __str__(self) -> str:
        return f"{self.kind.name} {self.name}" + ("" if self.default is None else f" = {self.default}")


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of one overload; one that is `hidden` is accepted and never shown."""

    name: str
    parameters: tuple[Parameter, ...]
    hidden: bool

    @property
    def positional(self) -> int:
        """The number of parameters that can be given by position."""
        return sum(not p.keyword_only for p in self.parameters)

    @property
    def required(self) -> int:
        """The number of parameters without a default."""
        return sum(p.default is None for p in self.parameters)

    @property
    def variadic(self) -> bool:
        """True when a list of numbers may be given as separate arguments."""
        return self.positional == 1 and self.parameters[0].kind.name == "tuple of ints"

    def __str__(self) -> str:
        parts = [str(p) for p in self.parameters]
        if self.positional < len(parts):
            parts.insert(self.positional, "*")
        return f"({', '.join(parts)})"


def _parameter(text: str, keyword_only: bool) -> Parameter:
    written, _, rest = text.partition(" ")
    name, assigned, default = rest.partition("=")
    size = re.search(r"\[(\d+)\]", written)
    return Parameter(
        name,
        kind_of(re.sub(r"\[\d+\]|\?", "", written)),
        int(size[1]) if size else 0,
        default if assigned else None,
        "?" in written or default == "None",
        keyword_only,
    )


@cache
def signatures(space: str, name: str) -> tuple[Signature, ...]:
    """The overloads of a name in a namespace of `signatures.json`, in the order in which they are tried."""
    found = []
    title = shown(space, name)
    for text in table[space].get(name, ()):
        written, _, mark = text.partition("|")
        positional, _, keywords = written.partition("*, ")
        parts = [(p, False) for p in positional.split(", ") if p] + [(p, True) for p in keywords.split(", ") if p]
        found.append(Signature(title, tuple([_parameter(p, only) for p, only in parts]), bool(mark)))
    return tuple(sorted(found, key=lambda s: s.hidden))


def mismatch(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Return the error text for arguments that do not fit a signature, None where they fit.

    Raises: TypeError for a list with something other than tensors in it.
    """
    name, numbers = signature.name, signature.name.removesuffix("_") in TAKING_NUMBERS
    positional, given, used = signature.positional, len(args), 0
    if given > positional and not signature.variadic:
        return _surplus(signature, given)
    position = 0
    for i, p in enumerate(signature.parameters):
        keyword = position >= given
        if not keyword and p.keyword_only:
            return _surplus(signature, given)
        names = (p.name, *NUMPY_NAMES.get(p.name, ()))
        key = next((n for n in names if n in kwargs), None) if keyword else None
        if keyword and key is None:
            if p.default is None:
                missing = [f'"{q.name}"' for q in signature.parameters[i:] if q.default is None]
                plural = "s" if len(missing) == 1 else ""
                return f"{name}() missing {len(missing)} required positional argument{plural}: {', '.join(missing)}"
            continue
        value = args[position] if key is None else kwargs[key]
        used += key is not None
        whole = value
        fits = (value is None and p.takes_none) or p.kind.accepts(value, p.size, numbers, i)
        if not fits and signature.variadic and position == 0 and not keyword:
            fits, whole = p.kind.accepts(args, p.size, numbers, i), args
            if not fits and given > 1:
                return _surplus(signature, given)
            position = given if fits else position
        if not fits:
            place = "" if keyword else f" (position {position + 1})"
            text = f"{name}(): argument '{p.name}'{place} must be {p.kind.name}, "
            if not keyword and p.kind.name == "tuple of ints" and isinstance(value, (tuple, list)):
                return f"{text}but found element of type {type_name(value[0])} at pos 0"
            return f"{text}not {type_name(value)}"
        wrong = p.kind.wrong_element(whole)
        if wrong is not None:
            raise TypeError(
                f"{name}(): argument '{p.name}' failed to unpack the object at pos {wrong + 1} with error "
                f'"type must be {p.kind.name},but got {type_name(whole[wrong])}"'
            )
        position += not keyword and whole is not args
    if len(kwargs) > used:
        for key in kwargs:
            at = next((i for i, p in enumerate(signature.parameters) if p.name == key), None)
            if at is None:
                return f"{name}() got an unexpected keyword argument '{key}'"
            if at < given:
                return f"{name}() got multiple values for argument '{key}'"
        return "invalid keyword arguments"
    return None


def _surplus(signature: Signature, given: int) -> str:
    least, most = signature.required, signature.positional
    if least != most:
        return f"{signature.name}() takes from {least} to {most} positional arguments but {given} were given"
    plural, verb = "" if most == 1 else "s", "was" if given == 1 else "were"
    return f"{signature.name}() takes {most} positional argument{plural} but {given} {verb} given"


def check(space: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature | None:
    """Return the signature that the arguments fit, None where the function has none; a method's include the tensor.

    Raises: TypeError with PyTorch's text where they fit no signature.
    """
    overloads = signatures(space, name)
    if not overloads:
        return None
    if space == "Tensor":
        if not args:
            raise TypeError(f"unbound method TensorBase.{name}() needs an argument")
        if not isinstance(args[0], Tensor):
            raise TypeError(
                f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a "
                f"'{type_name(args[0])}' object"
            )
        args = args[1:]
        if len(overloads) == 1 and not overloads[0].parameters:
            if kwargs:
                raise TypeError(f"TensorBase.{name}() takes no keyword arguments")
            if args:
                raise TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)")
            return overloads[0]
    if len(overloads) == 1:
        text = mismatch(overloads[0], args, kwargs)
        if text is not None:
            raise TypeError(text)
        return overloads[0]
    for overload in overloads:
        if mismatch(overload, args, kwargs) is None:
            return overload
    count = len(args) + len(kwargs)
    plausible = [s for s in overloads if s.required <= count <= len(s.parameters) and not s.hidden]
    text = mismatch(plausible[0], args, kwargs) if len(plausible) == 1 else None
    raise TypeError(
        text or invalid_arguments(overloads[0].name, args, kwargs, [str(s) for s in overloads if not s.hidden])
    )


def shown(space: str, name: str) -> str:
    """Return the name of a function in error texts."""
    return f"{space}_{name}" if space in ("linalg", "special", "fft") else name
