"""PyTorch's signatures of functions and methods, and the TypeErrors for arguments that fit none of them.

Signatures are read only after a call failed, so that a call that works pays nothing for them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from functools import cache, wraps
from inspect import getattr_static
from pathlib import Path
from typing import Any

from backscope.autograd.views.view_history import check_in_place, requires_grad
from backscope.ops.core.arguments.argument_types import Kind, kind_of, type_name
from backscope.ops.core.arguments.invalid_arguments import invalid_arguments
from backscope.runtime.given import Value
from backscope.runtime.listening import refusal
from backscope.tensor.dtype import bool_, complex128, float64, int64
from backscope.tensor.layout import strided
from backscope.tensor.tensor import Tensor

_table: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_name("signatures.json").read_text("utf-8"))

_NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
"""What NumPy calls parameters; accepted as keywords too."""

TAKING_NUMBERS = {"add", "div", "divide", "mul", "multiply", "sub", "subtract", "true_divide", "floor_divide", "copy"}
"""Functions whose tensors may be given as Python numbers."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature; `size` is that of a list that may be given as one number."""

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
        """How many parameters can be given by position."""
        return sum(not p.keyword_only for p in self.parameters)

    @property
    def required(self) -> int:
        """How many parameters have no default."""
        return sum(p.default is None for p in self.parameters)

    @property
    def variadic(self) -> bool:
        """Whether a list of numbers may be given number by number."""
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
    for text in _table[space].get(name, ()):
        written, _, mark = text.partition("|")
        positional, _, keywords = written.partition("*, ")
        parts = [(p, False) for p in positional.split(", ") if p] + [(p, True) for p in keywords.split(", ") if p]
        found.append(Signature(title, tuple([_parameter(p, only) for p, only in parts]), bool(mark)))
    return tuple(sorted(found, key=lambda s: s.hidden))


def mismatch(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What is wrong with arguments for one signature, None where they fit; TypeError for a list of other things."""
    name, numbers = signature.name, signature.name.removesuffix("_") in TAKING_NUMBERS
    positional, given, used = signature.positional, len(args), 0
    if given > positional and not signature.variadic:
        return _surplus(signature, given)
    position = 0
    for i, p in enumerate(signature.parameters):
        keyword = position >= given
        if not keyword and p.keyword_only:
            return _surplus(signature, given)
        names = (p.name, *_NUMPY_NAMES.get(p.name, ()))
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
    """The signature that arguments fit, if any is known; those of a method include the tensor.

    Raises: TypeError as PyTorch raises it where they fit none.
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


_ABSENT: Any = object()


class NotAsWritten(TypeError):
    """A call in the order of an earlier version, or with tensors for numbers: it is made as `spelled` has it."""


_NUMBERS = frozenset({bool, int, float, complex})

_PYTHON_TYPES = {bool: bool_, int: int64, float: float64, complex: complex128}


_USUAL = {"layout": (None, strided), "pin_memory": (None, False), "names": (None,)}
"""Values of keywords that ask for nothing, which functions need not know."""


def _as_dtype(value: Value) -> Any:
    """The dtype of one of Python's number types; anything else is returned unchanged."""
    return _PYTHON_TYPES.get(value, value) if value.__class__ is type else value


_NOT_BROADCAST = ("operands could not be broadcast", "shape mismatch: ")
"""How NumPy says that shapes do not fit."""

_OWN_ORDER = frozenset(
    {"set_", "resize_", "resize_as_", "requires_grad_", "detach_", "apply_", "map_", "map2_", "rename_"}
    | {"share_memory_", "fill_diagonal_"}
)
"""In-place methods that refuse something else before they refuse leaves."""


def _is_ordinary(value: Value) -> bool:
    """Whether a value is a tensor, and none of inference mode, whose changes are refused for that."""
    return isinstance(value, Tensor) and not value.is_inference()


def spelled(space: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a call that failed, PyTorch's own names and types in place of NumPy's and Python's.

    Raises: TypeError as PyTorch raises it where they fit no signature, otherwise what the call raised.
    """
    try:
        signature = check(space, name, args, kwargs)
    except TypeError as error:
        raise refusal(error) from None
    present = _present(space, name, signature)
    if signature is not None and present is not None:
        own_place = int(space == "Tensor")
        given = dict(zip([p.name for p in signature.parameters], args[own_place:], strict=False)) | kwargs
        return [*args[:own_place], *_in_order(present, 0, given)], given
    if signature is not None:
        own = {other: p.name for p in signature.parameters for other in _NUMPY_NAMES.get(p.name, ())}
        better = {own.get(k, k): _as_dtype(v) for k, v in kwargs.items()}
        by_position = [_as_dtype(v) for v in args]
        numbers = _numbers(signature, by_position, better, int(space == "Tensor"))
        if signature.variadic and signature.parameters[0].name in better:
            by_position.append(better.pop(signature.parameters[0].name))
        own_place = int(space == "Tensor")
        if signature.variadic and len(args) > own_place + 1:
            by_position[own_place:] = [tuple(by_position[own_place:])]
        if isinstance(sys.exception(), TypeError):
            by_position += _in_order(signature, len(by_position) - own_place, better)
            better = {k: v for k, v in better.items() if k not in _USUAL or v not in _USUAL[k]}
        changed = len(by_position) != len(args) or better.keys() != kwargs.keys()
        if changed or numbers or any(v.__class__ is type for v in (*args, *kwargs.values())):
            return by_position, better
    failed = sys.exception()
    if failed is not None:
        if space == "Tensor" and name[-1] == "_" and name not in _OWN_ORDER and _is_ordinary(args[0]):
            check_in_place(args[0], requires_grad(args[0]))  # PyTorch refuses this before it looks at anything else.
        if isinstance(failed, ValueError) and str(failed).startswith(_NOT_BROADCAST):
            from backscope.ops.core.elementwise import common_shape

            common_shape([*args, *kwargs.values()])
        refusal(failed)
    raise


def _numbers(signature: Signature, args: list[Any], kwargs: dict[str, Any], first: int) -> bool:
    """Replace 0-d tensors by their numbers where a number is expected; True where one was replaced."""
    found = False
    for i, p in enumerate(signature.parameters, first):
        for holder, place in ((args, i), (kwargs, p.name)):
            inside = place < len(args) if holder is args else place in kwargs  # type: ignore[operator]
            if inside and _stands_for_number(p, holder[place]):  # type: ignore[index]
                holder[place] = holder[place].item()  # type: ignore[index]
                found = True
    return found


def _present(space: str, name: str, signature: Signature | None) -> Signature | None:
    """The overload that took the place of a deprecated one, which has the same parameters in another order."""
    if signature is None or not signature.hidden:
        return None
    names = {p.name for p in signature.parameters}
    return next(
        (s for s in signatures(space, name) if not s.hidden and names <= {p.name for p in s.parameters}),
        None,
    )


def _in_order(signature: Signature, given: int, kwargs: dict[str, Any]) -> list[Any]:
    """What keywords give of the parameters that follow the `given` ones, taken out of them: by place, names are one."""
    moved = []
    for p in signature.parameters[given : signature.positional]:
        if p.name not in kwargs:
            break
        moved.append(kwargs.pop(p.name))
    return moved


def shown(space: str, name: str) -> str:
    """What errors call a function."""
    return f"{space}_{name}" if space in ("linalg", "special", "fft") else name


class Checks:
    """Which types of arguments are known to fit a function: a call looks at its signatures for new ones only.

    A wrong argument need not make a call fail, so checking failed calls alone is not enough.
    """

    __slots__ = ("known", "name", "space")

    def __init__(self, space: str, name: str) -> None:
        self.space, self.name = space, name
        self.known: set[Any] = set()

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether a call is to be made as it is, rather than as `spelled` has it.

        Raises: TypeError as PyTorch raises it where the arguments fit no signature.
        """
        types: Any = tuple(map(type, args[1:]))
        if kwargs:
            types = types, *kwargs, *[v.__class__ for v in kwargs.values()]
        if types in self.known:
            return True
        signature = check(self.space, self.name, args, kwargs)
        if signature is not None:
            if _present(self.space, self.name, signature) is not None:
                return False
            places = dict(zip(signature.parameters, args[self.space == "Tensor" :], strict=False))
            if any(_stands_for_number(p, v) for p, v in places.items()):
                return False
            if any(_stands_for_number(p, kwargs.get(p.name)) for p in signature.parameters):
                return False
        self.known.add(types)
        return True


def _stands_for_number(parameter: Parameter, value: Value) -> bool:
    """Whether a value is a tensor where a number goes: others like it need not do."""
    return isinstance(value, Tensor) and parameter.kind.name in _NUMERIC and not value._data.shape


_NUMERIC = frozenset({"int", "float", "Number", "bool", "tuple of ints"})


def checked(function: Callable[..., Any], space: str, name: str) -> Callable[..., Any]:
    """A function that raises PyTorch's TypeError when it failed because of what it was called with."""

    fits = Checks(space, name)
    known = fits.known
    makes = space != "Tensor" and all(
        not s.parameters or s.parameters[0].kind.name != "Tensor" for s in signatures(space, name)
    )

    @wraps(function)
    def call(first: Value = _ABSENT, /, *args: Any, **kwargs: Any) -> Any:
        try:
            if first.__class__ in _NUMBERS or (makes and isinstance(first, Tensor)):
                check(space, name, (first, *args), kwargs)
            if first is _ABSENT:
                found = function(**kwargs)
            elif kwargs:
                if not fits((first, *args), kwargs):
                    raise NotAsWritten
                found = function(first, *args, **kwargs)
            elif args:
                # Most calls fit as one before them did.
                if tuple(map(type, args)) not in known and not fits((first, *args), kwargs):
                    raise NotAsWritten
                found = function(first, *args)
            else:
                found = function(first)
            if found is not NotImplemented:
                return found
        except Exception:
            args, kwargs = spelled(space, name, args if first is _ABSENT else (first, *args), kwargs)  # type: ignore[assignment]
        else:
            check(space, name, (first, *args), kwargs)
            return found
        return function(*args, **kwargs)

    call.checked = space == "Tensor", shown(space, name)  # type: ignore[attr-defined]
    return call


def check_all(space: str, functions: MutableMapping[str, Callable[..., Any]], prefix: str = "") -> None:
    """Have the functions of a namespace checked that have signatures, those that do it themselves apart."""
    for name in _table[space]:
        function = functions.get(prefix + name)
        known = (space == "Tensor", shown(space, name))
        if callable(function) and getattr(function, "checked", None) != known:
            functions[prefix + name] = checked(function, space, name)


def check_methods() -> None:
    """Have the methods of Tensor checked that have signatures, those that do it themselves apart."""
    found = {name: getattr_static(Tensor, name, None) for name in _table["Tensor"]}
    methods = dict(found)
    check_all("Tensor", methods)
    for name, method in methods.items():
        if method is not found[name]:
            setattr(Tensor, name, method)
