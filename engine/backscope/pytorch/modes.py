"""The modes that see PyTorch's ops and the calls of its functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import torch
from torch.autograd import graph
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _get_current_dispatch_mode_stack,
    _pop_mode,
    _push_mode,
)

Handler = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


class OpMode(TorchDispatchMode):  # type: ignore[misc] # mypy does not read PyTorch.
    """Passes each op right below autograd to a handler, which calls it."""

    def __init__(self, handle: Handler) -> None:
        super().__init__()
        self._handle = handle

    # Any: arguments and results of any op.
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call an op."""
        places = _lists_written_by(func)
        if not places or _never_counts(func, args):
            return self._handle(func, args, kwargs or {})
        # Below a mode ops such as _foreach_add_ do not count versions, which would hide errors that PyTorch raises.
        held = [(t, t._version) for k in places if k < len(args) for t in args[k] if not t.is_inference()]
        out = self._handle(func, args, kwargs or {})
        missed = [t for t, version in held if t._version == version]
        for t in missed:
            graph.increment_version(t)
        return out


class OpsSeen:
    """Decides whether ops pass through a mode.

    The formulas of a pass without create_graph run without it: below any dispatch mode PyTorch adds gradients up in
    other ways.  What the program itself runs in the pass, such as its hooks, goes through it again.
    """

    def __init__(self, mode: OpMode) -> None:
        self._mode = mode
        self._away = 0

    @contextmanager
    def not_in_formulas(self) -> Iterator[None]:
        """Have the mode away, while a pass runs."""
        others = []
        present = any(one is self._mode for one in _get_current_dispatch_mode_stack())
        while present:
            top = _pop_mode()
            if top is self._mode:
                break
            others.append(top)
        for one in reversed(others):
            _push_mode(one)
        self._away += present
        try:
            yield
        finally:
            if present:
                self._away -= 1
                _push_mode(self._mode)

    @contextmanager
    def in_program(self) -> Iterator[None]:
        """Have the mode there while the program's own code runs in a pass."""
        absent = self._away > 0 and not any(one is self._mode for one in _get_current_dispatch_mode_stack())
        if absent:
            _push_mode(self._mode)
        try:
            yield
        finally:
            if absent:
                _pop_mode()


class CallMode(TorchFunctionMode):  # type: ignore[misc]
    """Passes each call of PyTorch's API to a handler, which makes it."""

    def __init__(self, handle: Handler) -> None:
        super().__init__()
        self._handle = handle

    # Any: arguments and results of any function.
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call a function."""
        return self._handle(func, args, kwargs or {})


@lru_cache(4096)
def _lists_written_by(func: Any) -> tuple[int, ...]:
    """Return the places of the arguments of a _foreach op that are lists of tensors which it changes in place."""
    schema = func._schema
    if not schema.is_mutable or not schema.name.startswith("aten::_foreach"):
        return ()
    return tuple(
        k
        for k, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write and str(argument.type).startswith("List")
    )


# Any: arguments of any op.
def _never_counts(func: Any, args: Any) -> bool:
    """Return True for an op that counts no versions without a mode either: two of those that devices run as one."""
    if func._schema.name not in ("aten::_foreach_lerp_", "aten::_foreach_zero_") or not args[0]:
        return False
    lists = [given for given in args if isinstance(given, (list, tuple)) and isinstance(given[0], torch.Tensor)]
    kind, device = lists[0][0].dtype, lists[0][0].device
    return device.type != "cpu" and all(
        t.dtype is kind and t.device == device and t.stride() == first.stride()
        for given in lists
        for t, first in zip(given, lists[0], strict=False)
    )


def in_transform() -> bool:
    """Return True inside of torch.func, where tensors are wrappers without memory."""
    return torch._C._functorch.maybe_current_level() is not None
