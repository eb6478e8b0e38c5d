"""Module: the base of every layer, container and model."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from backscope.nn.module.call import Call
from backscope.nn.module.module_dtype import Conversion
from backscope.nn.module.module_state import State
from backscope.nn.module.registration import Registration
from backscope.nn.module.traversal import Traversal
from backscope.runtime.given import Value
from backscope.tensor.typename import belongs

_HOOKS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_is_full_backward_hook",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _forward_unimplemented(self: Value, *input: Any) -> None:  # noqa: A002
    """Compute the output; defined by subclasses."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


T = TypeVar("T", bound="Module")


class Module(Registration, Traversal, State, Conversion, Call):
    """A part of a model: parameters, buffers and submodules, and forward() that computes with them."""

    T_destination = TypeVar("T_destination", bound=dict[str, Any])

    training: bool
    call_super_init = False
    _compiled_call_impl: Any = None

    forward: Callable[..., Any] = _forward_unimplemented

    def __init__(self, *args: object, **kwargs: object) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        # Written to __dict__: __setattr__ needs these attributes itself.
        put = object.__setattr__
        put(self, "training", True)
        put(self, "_parameters", {})
        put(self, "_buffers", {})
        put(self, "_non_persistent_buffers_set", set())
        for name in _HOOKS:
            put(self, name, None if name == "_is_full_backward_hook" else OrderedDict())
        put(self, "_modules", {})
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_compiled_call_impl"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        held = self.__dict__
        held.update(state)
        for name in _HOOKS:
            held.setdefault(name, None if name == "_is_full_backward_hook" else OrderedDict())
        held.setdefault("_non_persistent_buffers_set", set())

    def _get_name(self) -> str:
        return self.__class__.__name__

    def extra_repr(self) -> str:
        """Return the text between the brackets of the repr; for subclasses to override."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) == 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        for name, module in self._modules.items():
            lines.append(f"({name}): {indented(repr(module), 2)}")
        body = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        return f"{self._get_name()}({body})"


def indented(text: str, spaces: int) -> str:
    """Indent all lines of a text but the first, for a module within another."""
    first, *rest = text.split("\n")
    return "\n".join([first, *[" " * spaces + line if line.strip() else "" for line in rest]])


for _part in (Registration, Traversal, State, Conversion, Call):
    for _name, _function in vars(_part).items():
        if isinstance(_function, FunctionType):
            _function.__qualname__ = f"Module.{_name}"  # The name in errors about its arguments.

belongs("torch.nn.modules.module", Module)
