"""__torch_function__: classes and modes of a program that take over the functions of torch and the methods of Tensor.

Functions look for them only once a program has such a class or mode: then each public function and method is
wrapped in one that looks for them first.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable, Iterable
from types import FrameType, FunctionType, ModuleType
from typing import Any

from backscope.runtime.given import Option, Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.tensor.own_attribute import keep_apart
from backscope.tensor.subclass import overriding
from backscope.tensor.tensor import Tensor

_NAMESPACES = ("", ".nn.functional", ".linalg", ".special", ".fft")
_NOT_OVERRIDDEN = frozenset(
    {
        "as_subclass", "compile", "fork_rng", "get_default_device", "get_default_dtype", "get_num_threads",
        "get_rng_state", "initial_seed", "is_autocast_enabled", "is_grad_enabled", "is_inference_mode_enabled",
        "is_tensor", "is_warn_always_enabled", "load", "manual_seed", "save", "seed", "set_default_device",
        "set_default_dtype", "set_grad_enabled", "set_num_threads", "set_printoptions", "set_rng_state",
        "set_warn_always", "typename", "use_deterministic_algorithms", "vmap",
    }
)  # fmt: skip
_OPERATORS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__isub__": "sub_", "__mul__": "mul",
    "__rmul__": "mul", "__imul__": "mul_", "__truediv__": "div", "__itruediv__": "div_", "__mod__": "remainder",
    "__matmul__": "matmul", "__neg__": "neg", "__abs__": "abs", "__gt__": "gt", "__ge__": "ge", "__lt__": "lt",
    "__le__": "le", "__eq__": "__eq__", "__ne__": "ne", "__and__": "__and__", "__or__": "__or__",
    "__xor__": "__xor__", "__invert__": "__invert__", "__getitem__": "__getitem__", "__setitem__": "__setitem__",
}  # fmt: skip
"""The operators that PyTorch passes on by the name of a method, without keywords."""
_BY_PYTHON = {
    "__rsub__": "__rsub__", "__rtruediv__": "__rdiv__", "__pow__": "pow", "__rpow__": "__rpow__",
    "__floordiv__": "__floordiv__", "__len__": "__len__",
}  # fmt: skip
"""The operators that PyTorch passes on with an empty dict of keywords."""

_armed: list[bool] = process_wide([])
_kept: list[Any] = []
_LIBRARIES = sys.stdlib_module_names | {"backscope", "ml_dtypes", "msgspec", "numpy"}
"""The packages with code that is not the program's own."""


def _overrides(kind: type) -> bool:
    """Return True if a class has a __torch_function__ of its own."""
    own = getattr(kind, "__torch_function__", None)
    if own is None or own is disabled_torch_function:
        return False
    return not issubclass(kind, Tensor) or getattr(own, "__func__", own) is not _default.__func__  # type: ignore[attr-defined]


def overriders(values: Iterable[Any]) -> list[Any]:
    """One argument of each class that overrides, subclasses before their bases."""
    found: list[Any] = []
    for value in values:
        for v in value if isinstance(value, (list, tuple)) else (value,):
            kind = type(v)
            if kind is Tensor or kind.__module__ == "builtins" or any(type(f) is kind for f in found):
                continue
            if _overrides(kind):
                at = next((i for i, f in enumerate(found) if issubclass(kind, type(f))), len(found))
                found.insert(at, v)
    return found


def _dispatch(
    function: Callable[..., Any], shown: str, takers: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    types = tuple([type(t) for t in takers])
    tried: list[str] = []
    if overriding.modes:
        *outer, mode = overriding.modes
        overriding.modes = tuple(outer)
        hub.handlers += 1
        try:
            found = mode.__torch_function__(function, types, args, kwargs)
        finally:
            hub.handlers -= 1
            overriding.modes = (*overriding.modes, mode)
        if found is not NotImplemented:
            return found
        tried.append(f"mode object {mode}")
    for taker in takers:
        hub.handlers += 1
        try:
            found = type(taker).__torch_function__(function, types, args, kwargs)
        finally:
            hub.handlers -= 1
        if found is not NotImplemented:
            return found
        tried.append(f"tensor subclass {type(taker)}")
    listed = "\n".join(f"  - {t}" for t in tried)
    raise TypeError(
        f"Multiple dispatch failed for '{shown}'; all __torch_function__ handlers returned NotImplemented:\n\n"
        f"{listed}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _overridable(function: Callable[..., Any], name: str, shown: str, no_keywords: Option = None) -> Any:
    """Wrap a function: modes and the classes of its arguments may handle the call first."""

    @functools.wraps(function)
    def call(*args: Value, **kwargs: Any) -> Any:
        takers = [] if overriding.disabled else overriders((*args, *kwargs.values()))
        if (takers or overriding.modes) and _is_called_by_program():
            return _dispatch(call, shown, takers, args, kwargs or no_keywords)
        return _run_below(function, args, kwargs) if hub.handlers else function(*args, **kwargs)

    call.__name__ = name
    call.overridable = True  # type: ignore[attr-defined]
    return call


def _run_below(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a function that a handler calls: the program's functions that it calls are no part of the handler."""
    handlers, hub.handlers = hub.handlers, 0
    try:
        return function(*args, **kwargs)
    finally:
        hub.handlers = handlers


_CALL = _overridable(len, "", "").__code__


def _is_called_by_program() -> bool:
    """Return True if the program made this call, and not another function of torch: only such calls are overridden.

    It is read from the stack, because a function can call the program back: hooks, and other callables.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame and frame.f_code is not _dispatch.__code__:
        if frame.f_code is _CALL:
            return False
        # Formulas that were compiled have no module.
        module = str(frame.f_globals.get("__name__", "backscope"))
        if module.partition(".")[0] not in _LIBRARIES:
            return True
        frame = frame.f_back
    return True


def arm() -> None:
    """Wrap the functions of torch and the methods of Tensor, so that from now on overrides are called."""
    import importlib

    if _armed:
        return
    _armed.append(True)
    for space in _NAMESPACES:
        module = importlib.import_module("backscope.torch" + space)
        named = {name: f for name, f in vars(module).items() if _eligible(name, f)}
        _keep(module, named)
        for name, function in named.items():
            prefix = space[1:] + "." if space else ""
            shown = {".linalg": f"linalg_{name}", ".special": f"special_{name}"}.get(
                space, getattr(function, "__name__", name)
            )
            setattr(module, name, _overridable(function, shown, f"torch.{prefix}{name}"))
    known = {**_OPERATORS, **_BY_PYTHON}
    methods = {name: getattr(Tensor, name) for name in dir(Tensor)}
    methods = {name: f for name, f in methods.items() if name in known or _eligible(name, f)}
    _keep(Tensor, methods)
    for name, function in methods.items():
        shown = known.get(name, name)
        no_keywords: Any = {} if name in _BY_PYTHON else None
        setattr(Tensor, name, _overridable(function, shown, f"torch.Tensor.{shown}", no_keywords))


def _keep(holder: Any, named: dict[str, Any]) -> None:
    """Register attributes to be set back when the process is restarted."""
    if holder not in _kept:
        _kept.append(holder)
        process_wide(holder, *named)


def _eligible(name: str, function: Callable[..., Any]) -> bool:
    if name.startswith("_") or name in _NOT_OVERRIDDEN or isinstance(function, (type, ModuleType)):
        return False
    return isinstance(function, (FunctionType, functools.partial)) and not hasattr(function, "overridable")


def arm_for(source: str) -> None:
    """Wrap them from the start where a program's text mentions an override outside of comments."""
    names = ("__torch_function__", "TorchFunctionMode")
    if any(name in source for name in names):
        code = ast.dump(ast.parse(source))
        if any(name in code for name in names):
            arm()


class _SubclassesDisabled:
    """A context in which subclasses of Tensor are treated as plain tensors."""

    def __enter__(self) -> None:
        overriding.disabled += 1

    def __exit__(self, *exc: object) -> None:
        overriding.disabled -= 1


class DisableTorchFunctionSubclass(_SubclassesDisabled):
    """A context in which only modes handle calls, and results are plain tensors."""


class DisableTorchFunction(_SubclassesDisabled):
    """A context in which neither classes nor modes handle calls."""

    def __enter__(self) -> None:
        super().__enter__()
        self.modes = overriding.modes
        overriding.modes = ()

    def __exit__(self, *exc: object) -> None:
        overriding.modes = self.modes
        super().__exit__(*exc)


# Any: the function returns a value of any type.
def disabled_torch_function(
    func: Callable[..., Any], types: Iterable[type], args: Values = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """The __torch_function__ of a class that returns plain tensors."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


disabled_torch_function.disables = True  # type: ignore[attr-defined]


def _converted(value: Value, kind: type) -> Any:
    if isinstance(value, Tensor) and not isinstance(value, kind):
        return value.as_subclass(kind)  # type: ignore[attr-defined]
    if isinstance(value, (list, tuple)):
        parts = [_converted(v, kind) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


@classmethod  # type: ignore[misc]
def _default(
    cls: Any, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """The function itself, its tensors as instances of this class."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        found = func(*args, **(kwargs or {}))
    return _converted(found, cls)


def _on_subclass(cls: Any, **options: Any) -> None:
    object.__init_subclass__(**options)
    if "__torch_dispatch__" in vars(cls):
        from backscope.torch_dispatch.mode_stack import classes, watch

        watch()
        classes[:] = [True]
    inherited = getattr(cls.__torch_function__, "__func__", None)
    if hasattr(cls, "__torch_dispatch__") and inherited is vars(Tensor)["__torch_function__"].__func__:
        cls.__torch_function__ = disabled_torch_function  # What its own handler gives is not made an instance.
    if not cls.__module__.startswith("backscope."):
        keep_apart(cls)
    if "__torch_function__" in vars(cls) and _overrides(cls):
        arm()


Tensor.__torch_function__ = _default  # type: ignore[attr-defined]
Tensor.__init_subclass__ = classmethod(_on_subclass)  # type: ignore[method-assign, assignment, arg-type]


class TorchFunctionMode:
    """A context in which the mode's __torch_function__ handles every call, the innermost mode first."""

    # Any: the function returns a value of any type.
    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: Values = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Return the result of the function; to be overridden."""
        raise NotImplementedError

    def __enter__(self) -> TorchFunctionMode:
        arm()
        overriding.modes = (*overriding.modes, self)
        return self

    def __exit__(self, *exc: object) -> None:
        overriding.modes = overriding.modes[:-1]


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    # Any: the function returns a value of any type.
    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: Values = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """The function itself."""
        return func(*args, **(kwargs or {}))


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return True if a mode or the class of one of the arguments overrides functions."""
    return bool(overriding.modes) or (not overriding.disabled and any(_takes_part(type(a)) for a in relevant_args))


def has_torch_function_unary(value: Value) -> bool:
    """has_torch_function for one argument."""
    return has_torch_function((value,))


def has_torch_function_variadic(*values: Value) -> bool:
    """has_torch_function for arguments one by one."""
    return has_torch_function(values)


def _takes_part(kind: type) -> bool:
    if kind is Tensor or kind.__module__ == "builtins":
        return False
    own = getattr(kind, "__torch_function__", None)
    return own is not None and own is not disabled_torch_function and kind.__module__ != "torch.nn.parameter"


# Any: the function returns a value of any type.
def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Value, **kwargs: Value
) -> Any:
    """Let the modes and the classes of the arguments handle a call of a function."""
    takers = overriders(relevant_args)
    name = f"{public_api.__module__}.{public_api.__name__}"
    return _dispatch(public_api, name, takers, args, kwargs)


def is_tensor_like(value: Value) -> bool:
    """Return True for a tensor and for an object of a class with __torch_function__."""
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Return True for a method or property of Tensor."""
    return any(f is func for f in vars(Tensor).values())


def resolve_name(function: Callable[..., Any]) -> str | None:
    """Return the name that a function has in torch."""
    return f"torch.{function.__name__}" if hasattr(function, "overridable") else None


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function: the classes of the arguments that `dispatcher` picks may handle its calls."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Value, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate
