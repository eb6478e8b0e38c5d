"""The base of all optimizers: parameter groups, state and its saving, zero_grad, and steps with hooks around them."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from backscope.autograd.hooks.user_hooks import RemovableHandle
from backscope.optim.optimizer_state import load, pack
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.node_ids import addresses
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch.interception import profiled

required = object()
"""The default of an option that each parameter group must give."""

_before_every_step: dict[int, Callable[..., Any]] = process_wide(OrderedDict())
_after_every_step: dict[int, Callable[..., Any]] = process_wide(OrderedDict())


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of every optimizer."""
    return _register(_before_every_step, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of every optimizer."""
    return _register(_after_every_step, hook)


def _register(hooks: Any, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def type_name(value: Value) -> str:
    """torch.typename: a tensor by its type, anything else by its class with the module, but for builtins."""
    if isinstance(value, Tensor):
        return f"torch.{value.dtype.type_name}Tensor"
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class Optimizer:
    """Holds parameters in groups with their options; subclasses define a step.

    Raises TypeError and ValueError as PyTorch does for parameters that are no tensors, no leaves, given twice, or none.
    """

    _hook_names = (
        "_optimizer_step_pre_hooks",
        "_optimizer_step_post_hooks",
        "_optimizer_state_dict_pre_hooks",
        "_optimizer_state_dict_post_hooks",
        "_optimizer_load_state_dict_pre_hooks",
        "_optimizer_load_state_dict_post_hooks",
    )

    def __init__(self, params: Values, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + type_name(params)
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _patch_step_function(self) -> None:
        """Make room for hooks, and put them around the class's own step the first time one of its kind is made."""
        for name in self._hook_names:
            self.__dict__.setdefault(name, OrderedDict())
        kind = type(self)
        if not getattr(kind.step, "hooked", False):
            kind.step = _hooked(kind.step)  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own; the dict itself becomes the group."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        self._collect(param_group)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        params = param_group["params"]
        if len({id(p) for p in params}) != len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                which = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {which} to the optimizer"
                )
        seen = {id(p) for p in self._parameters()}
        if any(id(p) in seen for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _collect(self, group: dict[str, Any]) -> None:
        """Put the parameters of a group, given with or without names, into a list and check each."""
        given = group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        names = [p[0] for p in given if isinstance(p, tuple)]
        params = group["params"] = [p[1] if isinstance(p, tuple) else p for p in given]
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + type_name(p))
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                raise blame(ValueError("can't optimize a non-leaf Tensor"), "computed_parameter", tensor=p)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Empty the `.grad` of all parameters: None, or zeros in place."""
        with profiled(f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"):
            self._empty_gradients(set_to_none)

    def _empty_gradients(self, set_to_none: bool) -> None:
        for p in self._parameters():
            old = p._grad  # The listener is called while the old gradient still exists.
            if old is None:
                continue
            if set_to_none:
                p._grad = None
                if hub.listener is not None:
                    hub.listener.grad_cleared(p, "none", by="optimizer")
            else:
                if old.grad_fn is not None:
                    old.detach_()
                else:
                    old.requires_grad_(False)
                old.zero_()  # type: ignore[attr-defined]

    def _parameters(self) -> Iterable[Tensor]:
        for group in self.param_groups:
            yield from group["params"]

    # Any: a closure returns its loss, a tensor or a number.
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new (args, kwargs)."""
        return _register(self._hooks("step_pre"), hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _register(self._hooks("step_post"), hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before state_dict()."""
        return _register(self._hooks("state_dict_pre"), hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after state_dict(); what it returns replaces the dict."""
        return _register(self._hooks("state_dict_post"), hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before load_state_dict(); what it returns is loaded instead."""
        return _register(self._hooks("load_state_dict_pre"), hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after load_state_dict()."""
        return _register(self._hooks("load_state_dict_post"), hook, prepend)

    def _hooks(self, moment: str) -> Any:
        return getattr(self, f"_optimizer_{moment}_hooks")

    def state_dict(self) -> dict[str, Any]:
        """State and groups with parameters as numbers, ready to be saved."""
        for before in self._hooks("state_dict_pre").values():
            before(self)
        packed = pack(self.state, self.param_groups)
        for after in self._hooks("state_dict_post").values():
            returned = after(self, packed)
            packed = packed if returned is None else returned
        return packed

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a state from state_dict(); ValueError where the groups don't match."""
        state_dict = state_dict.copy()
        for before in self._hooks("load_state_dict_pre").values():
            returned = before(self, state_dict)
            state_dict = state_dict if returned is None else returned
        state, groups = load(state_dict, self.param_groups)
        self.__setstate__({"state": state, "param_groups": groups})
        for after in self._hooks("load_state_dict_post").values():
            after(self)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(k for k in group if k != "params"):
                text += f"    {key}: {group[key]}\n"
        return text + ")"


def _hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a class's step with the hooks around it; the step of the outermost class is reported to the listener."""

    @functools.wraps(step)
    def hooked(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        for hook in [*_before_every_step.values(), *self._hooks("step_pre").values()]:
            returned = hook(self, (self, *args), kwargs)
            _report("pre", self, hook)
            if returned is None:
                continue
            if not isinstance(returned, tuple) or len(returned) != 2:
                where = f"<function {type(self).__name__}.step at {hex(addresses.next())}>"
                raise RuntimeError(
                    f"{where} must return None or a tuple of (new_args, new_kwargs), but got {returned}."
                )
            (self, *args), kwargs = returned
        with _step_reported(self), profiled(f"Optimizer.step#{type(self).__name__}.step"):
            result = step(self, *args, **kwargs)
        for hook in [*self._hooks("step_post").values(), *_after_every_step.values()]:
            hook(self, (self, *args), kwargs)
            _report("post", self, hook)
        return result

    hooked.hooked = True  # type: ignore[attr-defined]
    return hooked


def _report(when: str, optimizer: Optimizer, hook: Callable[..., Any]) -> None:
    if hub.listener is not None:
        name = getattr(hook, "__name__", type(hook).__name__)
        hub.listener.hook_ran(f"optimizer step {when}", None, name, None, None, type(optimizer).__name__)


@contextmanager
def _step_reported(optimizer: Optimizer) -> Iterator[None]:
    """Report to the listener how the parameters changed in a complete step."""
    listener = hub.listener
    if listener is None or "_stepping" in optimizer.__dict__:
        yield
        return
    optimizer.__dict__["_stepping"] = True
    try:
        step = listener.step_started(optimizer)
        yield
    finally:
        del optimizer.__dict__["_stepping"]
    if hub.listener is not None:
        listener.step_finished(step)
