"""no_grad, enable_grad, set_grad_enabled: as contexts, decorators and switches, each thread for itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest


def test_no_grad_records_nothing(torch: Any) -> None:
    """Inside, results of tracked tensors are not tracked."""
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        assert not torch.is_grad_enabled()
        with torch.enable_grad():
            z = x * 2
    assert not y.requires_grad and y.grad_fn is None
    assert z.requires_grad
    assert torch.is_grad_enabled()


def test_mode_comes_back_after_an_exception(torch: Any) -> None:
    """However the block ends."""
    with pytest.raises(ValueError, match="x"), torch.no_grad():
        raise ValueError("x")
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("parentheses", [True, False])
def test_decorator(torch: Any, parentheses: bool) -> None:
    """With and without parentheses, also of a function that calls itself."""

    def below(n: int) -> list[bool]:
        return [torch.is_grad_enabled(), *(below(n - 1) if n else [])]

    wrapped = torch.no_grad()(below) if parentheses else torch.no_grad(below)
    assert wrapped(2) == [False, False, False]
    assert wrapped.__name__ == "below"
    assert torch.is_grad_enabled()


def test_generator_has_the_mode_while_it_runs(torch: Any) -> None:
    """Between its items the caller's mode is in force."""

    @torch.no_grad()
    def items() -> Iterator[bool]:
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    seen = [(inside, torch.is_grad_enabled()) for inside in items()]
    assert seen == [(False, True), (False, True)]


def test_set_grad_enabled(torch: Any) -> None:
    """A switch at once, and a context that puts the former mode back."""
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_each_thread_has_its_own(torch: Any) -> None:
    """A new thread begins with grad mode on, whatever the thread that started it has."""
    seen: list[bool] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_threads_run_backward_side_by_side(ours: Any) -> None:
    """Graphs of several threads don't disturb each other."""
    results: dict[int, float] = {}

    def work(k: int) -> None:
        x = ours.tensor(float(k), requires_grad=True)
        for _ in range(50):
            x.grad = None
            y = x
            for _ in range(20):
                y = y * 1.0
            (y * y).backward()
        results[k] = x.grad.item()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {k: 2.0 * k for k in range(4)}


def test_grad_mode_inside_backward(torch: Any) -> None:
    """Off in hooks of a plain pass, on with create_graph, and restored afterwards."""
    seen: list[bool] = []
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    assert seen == [False, True]
    assert torch.is_grad_enabled()


def test_contexts_are_left_with_what_python_gives_them(torch: Any) -> None:
    """`__exit__` takes the exception's class, value and traceback; only anomaly mode does without."""
    forward = torch.autograd.forward_ad
    for make in (torch.no_grad, torch.enable_grad, lambda: torch.set_grad_enabled(True), forward.dual_level):
        context = make()
        context.__enter__()
        with pytest.raises(TypeError, match=r"__exit__\(\) missing 3 required positional arguments: 'exc_type', "):
            context.__exit__()
        context.__exit__(None, None, None)
