"""Calling ops without modes and classes, and what classes with a __torch_dispatch__ give."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


def page(torch: Any, name: str) -> Any:
    return importlib.import_module(f"{torch.__name__}.{name}")


def seeing(torch: Any, seen: list[str]) -> Any:
    """A class whose handler writes down each op and runs it past all handlers."""
    no_dispatch = page(torch, "utils._mode_utils").no_dispatch

    class Seeing(torch.Tensor):  # type: ignore[misc,name-defined]
        @staticmethod
        def __new__(cls: Any, data: Any) -> Any:
            return torch.Tensor._make_subclass(cls, data)

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            with no_dispatch():
                return func(*args, **(kwargs or {}))

    return Seeing


def test_a_handler_runs_its_op_past_itself(torch: Any) -> None:
    """Each op is seen once, and gives what the handler gave: no instance of the class."""
    seen: list[str] = []
    held = seeing(torch, seen)(torch.ones(2))
    assert type(held.sin()) is torch.Tensor
    assert type(held + 1) is torch.Tensor
    held.add_(1)
    assert seen[:3] == ["aten.sin.default", "aten.add.Tensor", "aten.add_.Tensor"]


def test_modes_are_left_out_too(torch: Any) -> None:
    """A mode sees what comes before and behind, nothing inside."""
    seen: list[str] = []

    class Mode(page(torch, "utils._python_dispatch").TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Mode():
        x.sin()
        with page(torch, "utils._mode_utils").no_dispatch():
            x.cos()
        x.exp()
    assert seen == ["sin.default", "exp.default"]


def test_a_wrapper_is_made_by_position(torch: Any) -> None:
    """Sizes, strides and all that follows may be given without names."""

    class Wrapper(torch.Tensor):  # type: ignore[misc,name-defined]
        @staticmethod
        def __new__(cls: Any, inner: Any) -> Any:
            rest = (None, None, inner.dtype, inner.layout, inner.device, False, inner.requires_grad, "sizes")
            return torch.Tensor._make_wrapper_subclass(cls, inner.size(), inner.stride(), *rest)

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise NotImplementedError

    made = Wrapper(torch.ones(2, 3, dtype=torch.float64).t().requires_grad_())
    assert made.dtype is torch.float64
    assert made.requires_grad


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_making_a_dual_aliases_its_primal(torch: Any) -> None:
    """A mode sees an alias of the primal, and of the dual where it is unpacked; the graph leads through both."""
    seen: list[str] = []

    class Mode(page(torch, "utils._python_dispatch").TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    forward = torch.autograd.forward_ad
    x, tangent = torch.ones(2, requires_grad=True), torch.ones(2)
    with forward.dual_level():
        with Mode():
            dual = forward.make_dual(x, tangent)
            made = seen.count("aten.alias.default")
            primal, found = forward.unpack_dual(dual)
        assert (made, seen.count("aten.alias.default")) == (1, 2)
        assert found is tangent
        (primal * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
