"""TorchDispatchMode, and the stack of entered modes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from backscope.autograd.transforms.level import used
from backscope.runtime.given import Values
from backscope.runtime.process import process_wide
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.ops.names.aten import OpOverload


class _Stack(threading.local):
    """The modes of each thread, innermost last, and the call that the innermost handler was given.

    With `classes_left_out`, the __torch_dispatch__ of subclasses is not called.
    """

    modes: tuple[Any, ...] = ()
    call: Any = None
    classes_left_out = False


stack = process_wide(_Stack(), "modes", "call", "classes_left_out")

watched: list[bool] = process_wide([])
"""Not empty after a mode was entered or a class with a __torch_dispatch__ was made: ops look for handlers then."""


classes: list[bool] = process_wide([])
"""Not empty after a class with a __torch_dispatch__ was made: gradients are Tensors in the backward pass then."""


def watch() -> None:
    """Make ops look for modes and subclasses from now on."""
    used[:] = [True]
    if not watched:
        from backscope.torch_dispatch.function_calls import wrap

        watched[:] = [True]
        wrap()


class _NoTensor:
    """A class without instances, which replaces Tensor in compiled calls while a mode is entered."""


_quick: list[dict[str, Any]] = []


def _quick_calls() -> list[dict[str, Any]]:
    """Yield the variables of the calls that compute on plain tensors without looking for modes."""
    from backscope.ops.core.declaration import primitives

    if not _quick:
        named = [vars(op).get("call") for op in primitives.values()]
        found = [getattr(call, "__globals__", {}) for call in named]
        _quick.extend(g for g in found if "slow" in g and "new_tensor" in g)
    return _quick


def slow_down(slow: bool) -> None:
    """Make every op look for modes, or allow calls on plain tensors the fast path again."""
    from backscope.tensor.parameter import Parameter

    for variables in _quick_calls():
        variables["Tensor"] = _NoTensor if slow else Tensor
        variables["Parameter"] = _NoTensor if slow else Parameter


class TorchDispatchMode:
    """Dispatches every op in its block to `__torch_dispatch__(func, types, args, kwargs)`, the innermost mode first."""

    def __init__(self, _dispatch_key: object = None) -> None:
        self._entered_from: list[tuple[Any, ...]] = []

    # Any: an op returns a tensor, several, or a number.
    def __torch_dispatch__(
        self, func: OpOverload, types: Iterable[type], args: Values = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the op; subclasses override it."""
        raise NotImplementedError

    def __enter__(self) -> TorchDispatchMode:
        watch()
        vars(self).setdefault("_entered_from", []).append(stack.modes)
        enter((*stack.modes, self))
        return self

    def __exit__(self, *exc: object) -> None:
        enter(self._entered_from.pop())


_entering = threading.Lock()
_threads: set[int] = process_wide(set())
"""The threads that have entered a mode; while there is one, calls in all threads look for modes."""


def enter(modes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Replace the entered modes; returns the earlier ones."""
    before = stack.modes
    stack.modes = modes
    if bool(before) != bool(modes):
        with _entering:
            were_entered = bool(_threads)
            (_threads.add if modes else _threads.discard)(threading.get_ident())
            if were_entered != bool(_threads):
                slow_down(bool(_threads))
    return before


def current_modes() -> list[Any]:
    """The modes that are entered, innermost last."""
    return list(stack.modes)


def current_mode() -> TorchDispatchMode | None:
    """The innermost mode that is entered; None where none is."""
    return stack.modes[-1] if stack.modes else None


@contextmanager
def no_dispatch() -> Iterator[None]:
    """Disable modes and classes with a __torch_dispatch__ inside the block."""
    before, left_out = enter(()), stack.classes_left_out
    stack.classes_left_out = True
    try:
        yield
    finally:
        stack.classes_left_out = left_out
        enter(before)


@contextmanager
def without_modes() -> Iterator[list[Any]]:
    """Disable modes inside the block."""
    before = enter(())
    try:
        yield list(before)
    finally:
        enter(before)
