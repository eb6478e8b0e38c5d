"""Records what the program does by PyTorch's API: where calls end, attributes of tensors, hooks that are registered."""

from __future__ import annotations

from typing import Any

import torch

from backscope.pytorch.context import Context, guarded
from backscope.pytorch.errors import Errors
from backscope.pytorch.hooks import Hooks
from backscope.pytorch.identities import Identities
from backscope.pytorch.modes import in_transform
from backscope.pytorch.passes import BackwardPasses
from backscope.recorder import narration as say

_VIEWS = ("data", "T", "mT", "H", "mH", "real", "imag")
"""Attributes that are ops."""


class Calls:
    """Makes the calls of the API, and records them."""

    def __init__(
        self, context: Context, identities: Identities, passes: BackwardPasses, hooks: Hooks, errors: Errors
    ) -> None:
        self.context = context
        self.identities = identities
        self.passes = passes
        self.hooks = hooks
        self.errors = errors

    # Any: arguments and results of any function.
    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the API."""
        context = self.context
        if not context.listens():
            return func(*args, **kwargs)
        # A transform is asked for here, because this mode is above torch.func's levels.
        if in_transform() or (not context.api and context.in_import()):
            context.quiet.depth += 1  # Nothing is recorded, and the program keeps its grad mode.
            try:
                return func(*args, **kwargs)
            finally:
                context.quiet.depth -= 1
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__", "__delete__"):
            return self._attribute(func, name, args, kwargs)
        if (
            name in ("register_hook", "register_post_accumulate_grad_hook")
            and args
            and isinstance(args[0], torch.Tensor)
        ):
            where = "tensor" if name == "register_hook" else "post accumulate"
            return self.hooks.register(func, where, args, kwargs)
        if not context.api:
            self.errors.flush()
        context.api.append(name)
        try:
            if func is torch.autograd.grad:
                return self.passes.grad(func, args, kwargs)
            out = func(*args, **kwargs)
        except Exception as error:
            if len(context.api) == 1:
                self.errors.of_call(error, args)
            raise
        finally:
            context.api.pop()
            if not context.api:
                context.resolve()
        self._returned(name, args, out)
        if not context.api:
            context.stop_point(called=name)
        return out

    @guarded
    def _returned(self, name: str, args: tuple[Any, ...], out: Any) -> None:
        context = self.context
        first = args[0] if args else None
        if name == "retain_grad" and isinstance(first, torch.Tensor):
            with torch._C.DisableTorchFunction():
                self.passes.retain(first)
        elif name in ("__repr__", "__format__") and isinstance(first, torch.Tensor):
            self._grad_fn_read(first)
        elif name == "requires_grad_" and isinstance(first, torch.Tensor):
            self._requires_grad(first)
        elif (
            not context.api
            and not context.in_step()
            and isinstance(out, torch.Tensor)
            and self.identities.token_of(out) is None
        ):
            context.look()
            self.identities.token(out, context.location(), name)

    def _requires_grad(self, t: torch.Tensor) -> None:
        self.context.look()
        line = self.context.location()
        with self.context.quiet:
            now = t.requires_grad
        self.context.add(say.requires_grad_changed, line, self.identities.token(t, line).tensor, now)

    def _attribute(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Read or set an attribute of a tensor."""
        context = self.context
        what = getattr(func.__self__, "__name__", "")
        if name == "__get__" and what not in _VIEWS:
            try:
                out = func(*args, **kwargs)
            except AttributeError:
                raise
            except Exception as error:
                if not context.api:
                    self.errors.of_call(error, args)
                raise
            if what == "grad_fn" and out is not None:
                self._grad_fn_read(args[0])
            return out
        if name in ("__set__", "__delete__") and what == "grad":
            before = self._grad_of(args[0])
            out = func(*args, **kwargs)
            if not context.in_step():
                self._grad_set(args[0], args[1] if name == "__set__" else None, before)
                context.stop_point()
            return out
        context.api.append("__get__")
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            if len(context.api) == 1:
                self.errors.of_call(error, args)
            raise
        finally:
            context.api.pop()
            if not context.api:
                context.resolve()
        if name == "__set__" and what == "requires_grad":
            self._set_requires_grad(args[0])
        if not context.api:
            context.stop_point()
        return out

    @guarded
    def _set_requires_grad(self, t: torch.Tensor) -> None:
        self._requires_grad(t)

    @guarded
    def _grad_fn_read(self, t: torch.Tensor) -> None:
        self.context.resolve()
        self.passes.ops.view_read(t, self.context.location())

    @guarded
    def _grad_of(self, t: torch.Tensor) -> bool:
        with self.context.quiet:
            return t.grad is not None

    @guarded
    def _grad_set(self, t: torch.Tensor, value: Any, had: bool | None) -> None:
        if not had and value is None:
            return
        self.context.resolve()
        self.context.look()
        line = self.context.location()
        how = "none" if value is None else "assigned"
        by = "optimizer" if self._in_zero_grad() else "user"
        number = self.identities.token(t, line).tensor
        self.context.add(say.grad_cleared, line, number, how, by, self.identities.values.of(value))

    def _in_zero_grad(self) -> bool:
        return any(
            frame.f_code.co_name == "zero_grad" and frame.f_globals.get("__name__", "").startswith("torch.optim")
            for frame in self.context.called()
        )
