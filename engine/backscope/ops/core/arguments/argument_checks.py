"""Checks of calls against PyTorch's signatures; a call that fails is made again with its arguments normalized."""

from __future__ import annotations

import sys
from collections.abc import Callable, MutableMapping
from functools import wraps
from inspect import getattr_static
from typing import Any

from backscope.autograd.views.view_history import check_in_place, requires_grad
from backscope.ops.core.arguments.number_casts import check_integer
from backscope.ops.core.arguments.signatures import NUMPY_NAMES, Parameter, Signature, check, shown, signatures, table
from backscope.runtime.given import Value
from backscope.runtime.listening import refusal
from backscope.tensor.dtype import bool_, complex128, float64, int64
from backscope.tensor.layout import strided
from backscope.tensor.tensor import Tensor

_ABSENT: Any = object()


class NeedsNormalizing(TypeError):
    """Raised for a call that has to be made again with the arguments that normalized_arguments() returns.

    Such calls use the parameter order of an earlier version, or a tensor where a number is expected.
    """


_NUMBERS = frozenset({bool, int, float, complex})

_PYTHON_TYPES = {bool: bool_, int: int64, float: float64, complex: complex128}

_USUAL = {"layout": (None, strided), "pin_memory": (None, False), "names": (None,)}
"""Values of keywords that have no effect; they are dropped before a function without these parameters is called."""


def _as_dtype(value: Value) -> Any:
    """Return the dtype of one of Python's number types; anything else is returned unchanged."""
    return _PYTHON_TYPES.get(value, value) if value.__class__ is type else value


_NOT_BROADCAST = ("operands could not be broadcast", "shape mismatch: ")
"""Beginnings of NumPy's errors for shapes that do not broadcast."""

_OWN_ORDER = frozenset(
    {"set_", "resize_", "resize_as_", "requires_grad_", "detach_", "apply_", "map_", "map2_", "rename_"}
    | {"share_memory_", "fill_diagonal_"}
)
"""In-place methods that raise another error before the one about leaves that require grad."""


def _is_ordinary(value: Value) -> bool:
    """Return True for a tensor outside inference mode; changes of inference tensors raise an error of their own."""
    return isinstance(value, Tensor) and not value.is_inference()


def normalized_arguments(
    space: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a failed call with PyTorch's names and types in place of NumPy's and Python's.

    Raises: TypeError with PyTorch's text where they fit no signature, otherwise the error of the call.
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
        own = {other: p.name for p in signature.parameters for other in NUMPY_NAMES.get(p.name, ())}
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
        if signature is not None:
            _check_integers(signature, args[int(space == "Tensor") :], kwargs)
        if space == "Tensor" and name[-1] == "_" and name not in _OWN_ORDER and _is_ordinary(args[0]):
            check_in_place(args[0], requires_grad(args[0]))  # PyTorch checks this before anything else.
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


def _check_integers(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise OverflowError for a number beyond 64 bits: PyTorch reads numbers before it checks anything else."""
    for place, p in enumerate(signature.parameters):
        value = args[place] if place < len(args) else kwargs.get(p.name)
        if p.kind.name == "Number" and isinstance(value, int):
            check_integer(value)


def _present(space: str, name: str, signature: Signature | None) -> Signature | None:
    """Return the overload that replaced a deprecated one with the same parameters in another order, or None."""
    if signature is None or not signature.hidden:
        return None
    names = {p.name for p in signature.parameters}
    return next(
        (s for s in signatures(space, name) if not s.hidden and names <= {p.name for p in s.parameters}),
        None,
    )


def _in_order(signature: Signature, given: int, kwargs: dict[str, Any]) -> list[Any]:
    """Remove from `kwargs` the values of the parameters after the first `given` ones, in order, and return them.

    Stops at the first parameter that has no keyword.
    """
    moved = []
    for p in signature.parameters[given : signature.positional]:
        if p.name not in kwargs:
            break
        moved.append(kwargs.pop(p.name))
    return moved


class Checks:
    """The types of arguments that are known to fit a function: a call checks its signatures for new types only.

    A wrong argument need not make a call fail, so checking failed calls alone is not enough.
    """

    __slots__ = ("known", "name", "space")

    def __init__(self, space: str, name: str) -> None:
        self.space, self.name = space, name
        self.known: set[Any] = set()

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return True when a call can be made unchanged, False when it needs normalized_arguments().

        Raises: TypeError with PyTorch's text where the arguments fit no signature.
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
    """Return True for a 0-d tensor where a parameter takes a number."""
    return isinstance(value, Tensor) and parameter.kind.name in _NUMERIC and not value._data.shape


_NUMERIC = frozenset({"int", "float", "Number", "bool", "tuple of ints"})


def checked(function: Callable[..., Any], space: str, name: str) -> Callable[..., Any]:
    """Wrap a function so that a call with wrong arguments raises PyTorch's TypeError."""

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
                    raise NeedsNormalizing
                found = function(first, *args, **kwargs)
            elif args:
                # Most calls have argument types that a call before had.
                if tuple(map(type, args)) not in known and not fits((first, *args), kwargs):
                    raise NeedsNormalizing
                found = function(first, *args)
            else:
                found = function(first)
            if found is not NotImplemented:
                return found
        except Exception:
            args, kwargs = normalized_arguments(space, name, args if first is _ABSENT else (first, *args), kwargs)  # type: ignore[assignment]
        else:
            check(space, name, (first, *args), kwargs)
            return found
        return function(*args, **kwargs)

    call.checked = space == "Tensor", shown(space, name)  # type: ignore[attr-defined]
    return call


def check_all(space: str, functions: MutableMapping[str, Callable[..., Any]], prefix: str = "") -> None:
    """Wrap all functions of a namespace that have signatures in checked(), unless they are wrapped already."""
    for name in table[space]:
        function = functions.get(prefix + name)
        known = (space == "Tensor", shown(space, name))
        if callable(function) and getattr(function, "checked", None) != known:
            functions[prefix + name] = checked(function, space, name)


def check_methods() -> None:
    """Wrap all methods of Tensor that have signatures in checked(), unless they are wrapped already."""
    found = {name: getattr_static(Tensor, name, None) for name in table["Tensor"]}
    methods = dict(found)
    check_all("Tensor", methods)
    for name, method in methods.items():
        if method is not found[name]:
            setattr(Tensor, name, method)
