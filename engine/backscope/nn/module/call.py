"""Calling a module: forward() with the hooks before and after it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from backscope.autograd.hooks.user_hooks import RemovableHandle
from backscope.nn.module.backward_hook import BackwardHook, report_hook, report_hook_registered, warn_of_legacy_hook
from backscope.nn.module.module_state import WrappedHook
from backscope.runtime.listening import hub, refusal
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor


class GlobalHooks:
    """The hooks of all modules; they run before a module's own."""

    def __init__(self) -> None:
        self.forward_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.forward: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.always: OrderedDict[int, bool] = OrderedDict()
        self.with_kwargs: OrderedDict[int, bool] = OrderedDict()
        self.backward_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.backward: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.full_backward: bool | None = None

    def hang(
        self, hooks: OrderedDict[int, Any], hook: Callable[..., Any], *flags: OrderedDict[int, bool]
    ) -> RemovableHandle:
        """Add a hook to `hooks`, and its id to each of `flags`."""
        handle = RemovableHandle(hooks, extra_dict=[self.always, self.with_kwargs] if hooks is self.forward else None)
        hooks[handle.id] = hook
        for flag in flags:
            flag[handle.id] = True
        return handle

    def choose(self, *, full: bool) -> None:
        """Decide for one kind of backward hook; RuntimeError where the other was chosen before."""
        if self.full_backward is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use "
                "only one of them."
            )
        self.full_backward = full


shared = process_wide(GlobalHooks())


def has_any_global_hook() -> object:
    """Return a true value where a hook of all modules is registered."""
    return (
        shared.backward_pre
        or shared.backward
        or shared.forward_pre
        or shared.forward
        or shared.always
        or shared.with_kwargs
    )


def register_module_forward_pre_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(module, args)` before the forward of every module; what it returns replaces args."""
    return shared.hang(shared.forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., None], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the forward of every module; what it returns replaces output."""
    flags = [flag for flag, wanted in ((shared.with_kwargs, with_kwargs), (shared.always, always_call)) if wanted]
    return shared.hang(shared.forward, hook, *flags)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` of the last node of every module; the old kind of hook."""
    shared.choose(full=False)
    return shared.hang(shared.backward, hook)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the backward pass of every module; what it returns replaces it."""
    return shared.hang(shared.backward_pre, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` for every module; what it returns replaces grad_input."""
    shared.choose(full=True)
    return shared.hang(shared.backward, hook)


class Call:
    """The part of Module that runs forward() and its hooks."""

    forward: Callable[..., Any]
    _backward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _backward_hooks: OrderedDict[int, Callable[..., Any]]
    _is_full_backward_hook: bool | None
    _forward_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _forward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before forward(); what it returns replaces the arguments."""
        handle = RemovableHandle(self._forward_pre_hooks, extra_dict=self._forward_pre_hooks_with_kwargs)
        self._forward_pre_hooks[handle.id] = hook
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        if prepend:
            self._forward_pre_hooks.move_to_end(handle.id, last=False)
        report_hook_registered("module forward pre", hook, self)
        return handle

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after forward(), even after an error if `always_call`.

        What the hook returns replaces the output.
        """
        flags = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
        handle = RemovableHandle(self._forward_hooks, extra_dict=flags)
        self._forward_hooks[handle.id] = hook
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        if prepend:
            self._forward_hooks.move_to_end(handle.id, last=False)
        report_hook_registered("module forward", hook, self)
        return handle

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the backward pass of the module; what it returns replaces it."""
        handle = RemovableHandle(self._backward_pre_hooks)
        self._backward_pre_hooks[handle.id] = hook
        if prepend:
            self._backward_pre_hooks.move_to_end(handle.id, last=False)
        report_hook_registered("module backward pre", hook, self)
        return handle

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` of the module's last node; the old kind of hook."""
        self._choose_backward_hooks(full=False)
        handle = RemovableHandle(self._backward_hooks)
        self._backward_hooks[handle.id] = hook
        return handle

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` once both are there; what it returns replaces grad_input."""
        self._choose_backward_hooks(full=True)
        handle = RemovableHandle(self._backward_hooks)
        self._backward_hooks[handle.id] = hook
        if prepend:
            self._backward_hooks.move_to_end(handle.id, last=False)
        report_hook_registered("module backward", hook, self)
        return handle

    def _choose_backward_hooks(self, *, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only "
                "one of them."
            )
        self._is_full_backward_hook = full

    def _get_backward_hooks(self) -> tuple[list[Any], list[Any]]:
        """The full backward hooks and the old ones, global ones first."""
        full: list[Any] = []
        old: list[Any] = []
        for is_full, hooks in (
            (shared.full_backward, shared.backward),
            (self._is_full_backward_hook, self._backward_hooks),
        ):
            if is_full is not None:
                (full if is_full else old).extend(hooks.values())
        return full, old

    def _get_backward_pre_hooks(self) -> list[Any]:
        return [*shared.backward_pre.values(), *self._backward_pre_hooks.values()]

    def compile(self, *args: object, **kwargs: object) -> None:
        """Do nothing: programs run op by op here, so that every step can be shown."""

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        plain = not (
            self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_hooks
            or self._forward_pre_hooks
            or shared.backward_pre
            or shared.backward
            or shared.forward
            or shared.forward_pre
        )
        listener = hub.listener
        if listener is None:
            return self.forward(*args, **kwargs) if plain else _HookedCall(self, args, kwargs).run()
        listener.module_entered(self)
        try:
            return self.forward(*args, **kwargs) if plain else _HookedCall(self, args, kwargs).run()
        except Exception as error:
            refusal(error)
            raise
        finally:
            listener.module_left()

    __call__: Callable[..., Any] = _call_impl
    _wrapped_call_impl = _call_impl


class _HookedCall:
    """One call of a module with hooks: the arguments and the result after the hooks that have run."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result: Any = None
        self.called: set[int] = set()

    def run(self) -> Any:
        """Return the result of forward() after all hooks; hooks that are always called run after an error too."""
        module = self.module
        try:
            full, old = module._get_backward_hooks()
            pre = module._get_backward_pre_hooks()
            self._before()
            around = BackwardHook(module, full, pre) if full or pre else None
            if around is not None:
                self.args = around.setup_input_hook(self.args)
            self.result = module.forward(*self.args, **self.kwargs)
            self._after()
            if around is not None:
                self._check_result()
                self.result = around.setup_output_hook(self.result)
            if old:
                self._hang_old(old)
            return self.result
        except Exception:
            self._despite_error()
            raise

    def _check_result(self) -> None:
        if not isinstance(self.result, (Tensor, tuple)):
            warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(self.result)}"
            )

    def _hang_old(self, hooks: list[Any]) -> None:
        """Hang old backward hooks on the node of the first output tensor."""
        value = self.result
        while not isinstance(value, Tensor):
            value = next(v for v in value.values() if isinstance(v, Tensor)) if isinstance(value, dict) else value[0]
        node = value.grad_fn
        if node is None:
            return
        for hook in hooks:
            node.register_hook(WrappedHook(hook, self.module))
        warn_of_legacy_hook(self.args, self.result, node)

    def _before(self) -> None:
        module = self.module
        for number, hook in (*shared.forward_pre.items(), *module._forward_pre_hooks.items()):
            if number in module._forward_pre_hooks_with_kwargs:
                given = self.args
                returned = hook(module, given, self.kwargs)
                report_hook("module forward pre", hook, module, given, returned)
                if returned is not None:
                    if not (isinstance(returned, tuple) and len(returned) == 2):
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                            f"{returned}."
                        )
                    self.args, self.kwargs = returned
            else:
                given = self.args
                returned = hook(module, given)
                report_hook("module forward pre", hook, module, given, returned)
                if returned is not None:
                    self.args = returned if isinstance(returned, tuple) else (returned,)

    def _after(self) -> None:
        module = self.module
        for number, hook in (*shared.forward.items(), *module._forward_hooks.items()):
            if number in module._forward_hooks_always_called or number in shared.always:
                self.called.add(number)
            self._call(hook, number in module._forward_hooks_with_kwargs or number in shared.with_kwargs)

    def _call(self, hook: Callable[..., Any], with_kwargs: bool) -> None:
        if with_kwargs:
            returned = hook(self.module, self.args, self.kwargs, self.result)
        else:
            returned = hook(self.module, self.args, self.result)
        report_hook("module forward", hook, self.module, self.result, returned)
        if returned is not None:
            self.result = returned

    def _despite_error(self) -> None:
        """Call the hooks that are always called and were not yet; what they raise is only warned of."""
        own = self.module
        for what, hooks, always, with_kwargs in (
            ("global module", shared.forward, shared.always, {}),
            ("module", own._forward_hooks, own._forward_hooks_always_called, own._forward_hooks_with_kwargs),
        ):
            for number, hook in hooks.items():
                if number not in always or number in self.called:
                    continue
                try:
                    self._call(hook, number in with_kwargs)
                except Exception as error:
                    warn(
                        f"{what} forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}"
                    )
