"""A module's members: parameters, buffers and submodules, and access to them as attributes."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.hooks.user_hooks import RemovableHandle
from backscope.runtime.given import Value
from backscope.runtime.process import process_wide
from backscope.tensor.parameter import Buffer, Parameter
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import typename

if TYPE_CHECKING:
    from backscope.nn.module.module import Module

_buffer_hooks: dict[int, Callable[..., Any]] = process_wide(OrderedDict())
_module_hooks: dict[int, Callable[..., Any]] = process_wide(OrderedDict())
_parameter_hooks: dict[int, Callable[..., Any]] = process_wide(OrderedDict())


def _hang(hooks: dict[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_module_buffer_registration_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` whenever a buffer is registered; what it returns replaces the buffer."""
    return _hang(_buffer_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(module, name, submodule)` whenever a module is registered; what it returns replaces the module."""
    return _hang(_module_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` whenever a parameter is registered; what it returns replaces it."""
    return _hang(_parameter_hooks, hook)


def _replaced(hooks: dict[int, Callable[..., Any]], module: Any, name: str, value: Value) -> Any:
    for hook in hooks.values():
        output = hook(module, name, value)
        if output is not None:
            value = output
    return value


class Registration:
    """The part of Module that keeps parameters, buffers and submodules."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Any]

    def register_buffer(self, name: str, tensor: Value, persistent: bool = True) -> None:
        """Add a tensor that is no parameter; a persistent one is part of state_dict."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not (isinstance(tensor, Tensor) or hasattr(tensor, "__torch_function__")):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = _replaced(_buffer_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Value) -> None:
        """Add a parameter, or None for one that is left out."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = _replaced(_parameter_hooks, self, name, param)

    def _check_name(self, what: str, name: Any, known: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(what + ' name can\'t contain "."')
        if name == "":
            raise KeyError(what + ' name can\'t be empty string ""')
        if hasattr(self, name) and name not in known:
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule, or None for one that is left out."""
        if not isinstance(module, Registration) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = _replaced(_module_hooks, self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name of add_module()."""
        self.add_module(name, module)

    # Any: a parameter, buffer or module of any class.
    def __getattr__(self, name: str) -> Any:
        held = self.__dict__
        try:
            return held["_parameters"][name]  # Most attributes that forward() reads are parameters.
        except KeyError:
            for kind in ("_modules", "_buffers"):
                if kind in held and name in held[kind]:
                    return held[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Value) -> None:
        held = self.__dict__
        parameters, modules, buffers = held.get("_parameters"), held.get("_modules"), held.get("_buffers")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Registration):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_parameters", "_buffers")
            modules[name] = _replaced(_module_hooks, self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            modules[name] = _replaced(_module_hooks, self, name, value)
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _forget(self, name: str, *kinds: str) -> None:
        """Delete an attribute of another kind under this name."""
        held = self.__dict__
        held.pop(name, None)
        for kind in kinds:
            held[kind].pop(name, None)
        held["_non_persistent_buffers_set"].discard(name)

    def _set_buffer(self, name: str, value: Value) -> None:
        if value is not None and not (isinstance(value, Tensor) or hasattr(value, "__torch_function__")):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        persistent: bool
        if isinstance(value, Buffer):
            persistent = value.persistent  # type: ignore[attr-defined]
        else:
            persistent = name not in self._non_persistent_buffers_set
        own: Any = self.register_buffer
        plain = getattr(own, "__func__", None) is Registration.register_buffer
        if plain or "persistent" in inspect.signature(own).parameters:
            own(name, value, persistent)
        elif persistent:
            own(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed."
            )

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(self.__class__), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(n for n in names if not n[0].isdigit())
