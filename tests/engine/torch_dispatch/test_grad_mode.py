"""The grad mode inside of __torch_dispatch__ handlers: it reads as outside, although no op is recorded."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest


def mode_that(torch: Any, asks: Callable[[], Any]) -> Any:
    """A dispatch mode whose handler keeps what `asks()` gives for each op."""
    base = importlib.import_module(f"{torch.__name__}.utils._python_dispatch").TorchDispatchMode

    class Asking(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.answers: list[Any] = []

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.answers.append(asks())
            return func(*args, **(kwargs or {}))

    return Asking()


def test_is_the_one_outside(torch: Any) -> None:
    """is_grad_enabled() says what it says where the op was called; a pass without create_graph turns it off."""
    x = torch.ones(2, requires_grad=True)
    with mode_that(torch, torch.is_grad_enabled) as mode:
        y = x.exp()
        with torch.no_grad():
            x.exp()
        assert mode.answers[0] is True
        assert mode.answers[-1] is False
        del mode.answers[:]
        y.sum().backward()
    assert mode.answers[0] is True
    assert mode.answers[-1] is False
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("enabled", [True, False])
def test_can_be_switched_and_nothing_is_recorded(torch: Any, enabled: bool) -> None:
    """A switch is seen in the handler and gone behind it; ops there make no graph either way."""
    leaf = torch.ones(2, requires_grad=True)

    def asks() -> Any:
        with torch.set_grad_enabled(enabled):
            return torch.is_grad_enabled(), leaf.sin().grad_fn

    with mode_that(torch, asks) as mode:
        leaf.exp()
    assert mode.answers[0] == (enabled, None)
    assert torch.is_grad_enabled()


def test_a_switch_lasts(torch: Any) -> None:
    """set_grad_enabled(False) in a handler holds for the program afterwards."""
    try:
        with mode_that(torch, lambda: torch.set_grad_enabled(False)):
            torch.ones(2).exp()
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)
    assert torch.ones(2, requires_grad=True).exp().requires_grad


def test_reentrant_dispatch_records_again(torch: Any) -> None:
    """enable_reentrant_dispatch() lets a handler compute above autograd."""
    overrides = importlib.import_module(f"{torch.__name__}.overrides")
    leaf = torch.ones(2, requires_grad=True)

    def asks() -> Any:
        with overrides.enable_reentrant_dispatch():
            return type(leaf.sin().grad_fn).__name__, torch.is_grad_enabled()

    with mode_that(torch, asks) as mode:
        leaf.exp()
    assert mode.answers[0] == ("SinBackward0", True)
