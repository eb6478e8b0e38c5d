"""Calling a module: forward() with the hooks that stand before and after it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from backscope.autograd.hooks import RemovableHandle
from backscope.warning import warn


class GlobalHooks:
    """The hooks of all modules, which run before a module's own."""

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


shared = GlobalHooks()


def register_module_forward_pre_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(module, args)` before the forward of every module; what it returns replaces args."""
    return shared.hang(shared.forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., None], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the forward of every module; what it returns replaces output."""
    flags = [flag for flag, wanted in ((shared.with_kwargs, with_kwargs), (shared.always, always_call)) if wanted]
    return shared.hang(shared.forward, hook, *flags)


class Call:
    """The part of Module that runs forward() and its hooks."""

    forward: Callable[..., Any]
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
        return handle

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        if not (self._forward_hooks or self._forward_pre_hooks or shared.forward or shared.forward_pre):
            return self.forward(*args, **kwargs)
        return _HookedCall(self, args, kwargs).run()

    __call__: Callable[..., Any] = _call_impl
    _wrapped_call_impl = _call_impl


class _HookedCall:
    """One call of a module with hooks: arguments and result as the hooks left them so far."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result: Any = None
        self.called: set[int] = set()

    def run(self) -> Any:
        """The result of forward() after all hooks; hooks that are always called see an error pass."""
        try:
            self._before()
            self.result = self.module.forward(*self.args, **self.kwargs)
            self._after()
            return self.result
        except Exception:
            self._despite_error()
            raise

    def _before(self) -> None:
        module = self.module
        for number, hook in (*shared.forward_pre.items(), *module._forward_pre_hooks.items()):
            if number in module._forward_pre_hooks_with_kwargs:
                returned = hook(module, self.args, self.kwargs)
                if returned is not None:
                    if not (isinstance(returned, tuple) and len(returned) == 2):
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                            f"{returned}."
                        )
                    self.args, self.kwargs = returned
            else:
                returned = hook(module, self.args)
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
