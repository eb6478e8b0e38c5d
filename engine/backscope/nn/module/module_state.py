"""state_dict() and load_state_dict(): a module's values by path, their hooks, the errors for keys that don't fit."""

from __future__ import annotations

import functools
import weakref
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from backscope.autograd.hooks.user_hooks import RemovableHandle
from backscope.autograd.modes.grad_mode import no_grad
from backscope.runtime.given import Option, Value
from backscope.runtime.warning import warn
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The result of load_state_dict."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class WrappedHook:
    """A hook that gets a module as its first argument, which it does not keep alive."""

    def __init__(self, hook: Callable[..., Any], module: object = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    # Any: a user's hook returns a value of any type.
    def __call__(self, *args: Value, **kwargs: Value) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


def _overrides(module: Any, name: str) -> bool:
    return getattr(type(module), name, None) is not getattr(State, name)


class State:
    """The methods of Module that save and load its members."""

    _version: int = 1
    dump_patches = False

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Any]
    _state_dict_hooks: dict[int, Callable[..., Any]]
    _state_dict_pre_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_pre_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: dict[int, Callable[..., Any]]

    # Any: a subclass saves a value of any type.
    def get_extra_state(self) -> Any:
        """Return a further value for state_dict; called only where a subclass overrides it."""
        raise _unreachable("get_extra_state")

    # Any: a subclass saves a value of any type.
    def set_extra_state(self, state: Any) -> None:
        """Restore the result of get_extra_state(); called only where a subclass overrides it."""
        raise _unreachable("set_extra_state")

    def _register_state_dict_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)`; what it returns replaces state_dict."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return _hang(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after state_dict(); it returns None."""
        setattr(hook, "_from_public_api", True)
        return _hang(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before state_dict()."""
        return _hang(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook: Any, with_module: bool = False) -> RemovableHandle:
        return _hang(self._load_state_dict_pre_hooks, WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook` before loading, with the module and then what _load_from_state_dict() takes."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after loading; it may change the keys in place."""
        return _hang(self._load_state_dict_post_hooks, hook)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        for members in (self._parameters, persistent):
            for name, value in members.items():
                if value is not None:
                    destination[prefix + name] = value if keep_vars else value.detach()
        if _overrides(self, "get_extra_state"):
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def state_dict(
        self,
        *args: Option,
        destination: MutableMapping[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> MutableMapping[str, Any]:
        """Return all parameters and persistent buffers by path, detached unless `keep_vars`."""
        if args:
            warn(
                "Positional args are being deprecated, use kwargs instead. Refer to https://pytorch.org/docs/main/"
                "generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            setattr(destination, "_metadata", OrderedDict())
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            getattr(destination, "_metadata")[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            returned = hook(self, destination, prefix, metadata)
            if returned is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = returned
        return destination

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load the members of this module, without those of submodules; subclasses may override it."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        own = {k: v for k, v in (*self._parameters.items(), *persistent.items()) if v is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, value in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, key, value, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        if _overrides(self, "set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if not key.startswith(prefix) or key == extra:
                    continue
                name, dot, _ = key[len(prefix) :].partition(".")
                if name not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    def _load_one(self, name: str, key: str, held: Any, given: Value, assign: bool, errors: list[str]) -> None:
        from backscope.nn.module.uninitialized_parameter import is_lazy

        if not isinstance(given, Tensor) and not hasattr(type(given), "__torch_function__"):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
            return
        lazy = is_lazy(held)
        if not lazy and len(held.shape) == 0 and len(given.shape) == 1 and given.shape[0] == 1:
            given = given[0]  # Checkpoints of old versions store 0-d tensors as one element.
        if not lazy and given.shape != held.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {held.shape}."
            )
            return
        try:
            with no_grad():
                if not assign:
                    held.copy_(given)
                    return
                if isinstance(held, Parameter):
                    if isinstance(given, Parameter):
                        given.requires_grad_(held.requires_grad)
                    else:
                        given = Parameter(given, requires_grad=held.requires_grad)
                setattr(self, name, given)
        except Exception as error:  # Any error is reported together with the others.
            errors.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are {held.size()} and whose '
                f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy values by path into this module, or with `assign` put the tensors themselves there.

        Returns the missing and the unexpected keys.  Raises RuntimeError for shapes that differ and, where `strict`,
        for keys that don't match.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        values: Any = OrderedDict(state_dict)
        if metadata is not None:
            values._metadata = metadata

        def load(module: Any, part: Value, prefix: str = "") -> None:
            local = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local["assign_to_params_buffers"] = assign
            module._load_from_state_dict(part, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    path = f"{prefix}{name}."
                    load(child, {k: v for k, v in part.items() if k.startswith(path)}, path)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                        "values, if incompatible_keys need to be modified, it should be done inplace."
                    )

        load(self, values)
        if strict:
            for what, given in (("Unexpected", unexpected), ("Missing", missing)):
                if given:
                    quoted = ", ".join([f'"{key}"' for key in given])
                    errors.insert(0, f"{what} key(s) in state_dict: {quoted}. ")
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        return _IncompatibleKeys(missing, unexpected)


def _unreachable(name: str) -> RuntimeError:
    return RuntimeError(
        f"Reached a code path in Module.{name}() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )


def _hang(hooks: dict[int, Any], hook: Any) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle
