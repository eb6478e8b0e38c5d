"""Looks at objects of the program without running any of its code: no `__repr__`, `__getattr__` or `__class__`.

Code of the program that a recording called could print, count, raise or wait, which would change the program.
"""

from __future__ import annotations

import enum
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    TracebackType,
)
from typing import Any, TypeGuard, TypeVar, overload

import numpy as np

from backscope.runtime.given import Value

T = TypeVar("T")

LONGEST = 80
"""The largest number of characters in the text of an object."""

_DEEPEST = 6
"""How many containers inside one another are shown with their items."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""The address of an object in its text, which differs between runs of a program."""

_PLAIN = frozenset(
    {int, float, bool, complex, bytes, bytearray, type(None), type(...), type(NotImplemented), range, type, object}
    | {FunctionType, BuiltinFunctionType, GeneratorType, np.dtype}
)
"""Types with a text that does not contain the text of other objects."""

_HOMES = frozenset({"datetime", "decimal", "fractions", "pathlib", "uuid", "numpy"})
"""Modules with types that have such a text too."""

_HOLDING = ("backscope.nn", "backscope.optim", "backscope.distributions", "backscope.data")
"""Packages of the engine with objects that contain objects of the program and show them in their text."""

_name = type.__dict__["__name__"].__get__
_module = type.__dict__["__module__"].__get__
_qualified = type.__dict__["__qualname__"].__get__
_mro = type.__dict__["__mro__"].__get__
_namespace = type.__dict__["__dict__"].__get__
_args = BaseException.__dict__["args"].__get__

traceback_of: Callable[[BaseException], TracebackType | None] = BaseException.__dict__["__traceback__"].__get__
"""Returns the traceback of an exception, without calling properties of its class."""

context_of: Callable[[BaseException], BaseException | None] = BaseException.__dict__["__context__"].__get__
"""Returns the exception that was being handled when one was raised, without calling properties of its class."""


def class_name(kind: type) -> str:
    """Return the name of a class, without calling its metaclass."""
    found: str = _name(kind)
    return found


def shown_name(kind: type) -> str:
    """Return the name of an exception's class as in a traceback: with its module, except for builtins and __main__."""
    module, name = _module(kind), _qualified(kind)
    return name if module in ("builtins", "__main__") or type(module) is not str else f"{module}.{name}"


@overload
def is_a(value: object, kind: type[T]) -> TypeGuard[T]: ...
@overload
def is_a(value: object, kind: tuple[type, ...]) -> bool: ...
def is_a(value: object, kind: type | tuple[type, ...]) -> bool:
    """Return True for an instance of a class or of one of several, without reading `__class__` as isinstance() does."""
    return issubclass(type(value), kind)


def is_module(value: Value) -> bool:
    """Return True for a torch.nn.Module, without importing torch.nn."""
    module = sys.modules.get("backscope.nn.module.module")
    return module is not None and is_a(value, module.Module)


def own_dict(value: Value) -> dict[str, Any]:
    """Return the attributes in an object's own `__dict__`; empty for an object without one.

    The program may have defined `__dict__` as a property, so the descriptor that Python made is used.
    """
    for base in _mro(type(value)):
        made = _namespace(base).get("__dict__")
        if type(made) is GetSetDescriptorType or type(made) is MemberDescriptorType:
            try:
                held = made.__get__(value)
            except (AttributeError, TypeError):  # Of a slot without a value, or of another class.
                return {}
            return held if type(held) is dict else {}
    return {}


def class_dict(kind: type) -> Mapping[str, Any]:
    """Return the attributes in a class's own `__dict__`, without calling its metaclass."""
    found: Mapping[str, Any] = _namespace(kind)
    return found


def module_name(kind: type) -> str:
    """Return the name of the module of a class, without calling its metaclass; empty if `__module__` is no str."""
    found = _module(kind)
    return found if type(found) is str else ""


# Any: a program may call objects of any type.
def callable_name(function: Any) -> str:
    """Return the name of a function or of another callable, which has the name of its class if it has none itself."""
    while type(function) is MethodType:
        function = function.__func__
    if type(function) in (FunctionType, BuiltinFunctionType):
        name = function.__name__
    elif is_a(function, type):
        name = class_name(function)
    else:
        name = own_dict(function).get("__name__")
    return name if type(name) is str else class_name(type(function))


def has_plain_text(error: BaseException) -> bool:
    """Return True if str() of an exception runs no code of the program: plain arguments, and no __str__ of its own."""
    for base in _mro(type(error)):
        if "__str__" in _namespace(base):
            made = _namespace(base)["__str__"]
            return _is_of_texts(error) and (type(made) is not FunctionType or made.__module__.startswith("backscope."))
    return False


def text_of_error(error: BaseException) -> str:
    """Return the arguments that an exception was raised with as text."""
    if _is_of_texts(error):
        return BaseException.__str__(error)
    return ", ".join(map(text, _args(error)))


def _is_of_texts(error: BaseException) -> bool:
    return all(type(given) in _PLAIN or type(given) is str for given in _args(error))


def nbytes(value: Value) -> int:
    """Return the size of an object in bytes, without the objects that it refers to."""
    return object.__sizeof__(value)


def text(value: Value) -> str:
    """Return the repr of an object, cut to `LONGEST`; its class where a repr would run code of the program."""
    parts: list[str] = []
    length = 0
    for part in _parts(value, _DEEPEST):
        parts.append(part)
        length += len(part)
        if length > LONGEST:
            break
    shown = "".join(parts)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 3] + "..."


def _parts(value: Value, depth: int) -> Iterator[str]:
    """Yield the text of an object in parts, so that a long text is not made as a whole."""
    kind = type(value)
    if not depth:
        yield "..."
    elif kind is str:
        yield repr(value if len(value) <= LONGEST else value[: LONGEST + 1])
    elif kind is int and value.bit_length() > 4 * LONGEST:
        yield hex(value >> (value.bit_length() - 4 * LONGEST))
    elif kind in _PLAIN or (_is_known(kind) and not (kind is np.ndarray and value.dtype.hasobject)):
        yield _ADDRESS.sub("", repr(value))
    elif issubclass(kind, tuple):
        yield from _items("(", tuple.__iter__(value), ",)" if tuple.__len__(value) == 1 else ")", depth)
    elif issubclass(kind, list):
        yield from _items("[", list.__iter__(value), "]", depth)
    elif issubclass(kind, dict):
        yield from _pairs(dict.items(value), depth)
    elif (kind is set or kind is frozenset) and value:
        before, after = ("{", "}") if kind is set else ("frozenset({", "})")
        yield from _items(before, iter(value), after, depth)
    elif kind is deque:
        yield from _items("deque([", iter(value), "])", depth)
    elif kind is slice:
        yield from _items("slice(", iter((value.start, value.stop, value.step)), ")", depth)
    elif issubclass(kind, enum.Enum):
        yield f"{class_name(kind)}.{own_dict(value).get('_name_')}"
    elif issubclass(kind, type):
        yield f"<class '{class_name(value)}'>"
    elif kind is MethodType:
        yield f"<bound method {callable_name(value)}>"
    else:
        yield f"<{class_name(kind)} object>"


def _items(before: str, items: Iterator[Any], after: str, depth: int) -> Iterator[str]:
    yield before
    for i, item in enumerate(items):
        if i:
            yield ", "
        yield from _parts(item, depth - 1)
    yield after


def _pairs(items: Iterable[tuple[Any, Any]], depth: int) -> Iterator[str]:
    yield "{"
    for i, (key, item) in enumerate(items):
        if i:
            yield ", "
        yield from _parts(key, depth - 1)
        yield ": "
        yield from _parts(item, depth - 1)
    yield "}"


def _is_known(kind: type) -> bool:
    """Return True for a type with a repr that Python, numpy or the engine makes without running code of the program."""
    for base in _mro(kind):
        if "__repr__" in _namespace(base):
            if base in _PLAIN or base is str:  # Of an enum or a number of the program's, which has Python's text.
                return base is not object
            made = _namespace(base)["__repr__"]
            home = made.__globals__.get("__name__", "") if type(made) is FunctionType else module_name(base)
            if home.startswith("backscope."):
                return not home.startswith(_HOLDING)
            return kind is base and home.partition(".")[0] in _HOMES
    return False
