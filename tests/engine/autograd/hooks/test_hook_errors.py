"""PyTorch's own errors of hooks: where none can be registered, and for what hooks return, letter by letter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def leaf(torch: Any, *shape: int) -> Any:
    """A leaf of ones that requires grad."""
    return torch.ones(shape, requires_grad=True)


def hook_without_gradient(torch: Any) -> None:
    torch.ones(2).register_hook(lambda g: None)


def post_hook_of_a_non_leaf(torch: Any) -> None:
    (leaf(torch) * 2).register_post_accumulate_grad_hook(lambda x: None)


def retain_without_gradient(torch: Any) -> None:
    torch.ones(2).retain_grad()


def hook_gives_a_number(torch: Any) -> None:
    x = leaf(torch)

    def bad(g: Any) -> int:
        return 3

    x.register_hook(bad)
    (x * 2).backward()


def hook_changes_the_shape(torch: Any) -> None:
    x = leaf(torch, 2)

    def bad(g: Any) -> Any:
        return g.sum()

    x.register_hook(bad)
    (x * 2).sum().backward()


def hook_changes_the_type(torch: Any) -> None:
    x = leaf(torch, 2)

    def bad(g: Any) -> Any:
        return g.double()

    x.register_hook(bad)
    (x * 2).sum().backward()


def node_hook_gives_a_list(torch: Any) -> None:
    y = leaf(torch) * 2

    def bad(grad_inputs: Any, grads: Any) -> Any:
        return [1]

    y.grad_fn.register_hook(bad)
    y.backward()


def node_hook_gives_too_few(torch: Any) -> None:
    y = leaf(torch) * leaf(torch)

    def bad(grad_inputs: Any, grads: Any) -> Any:
        return (grads[0],)

    y.grad_fn.register_hook(bad)
    y.backward()


def pre_hook_gives_a_number(torch: Any) -> None:
    y = leaf(torch) * 2

    def bad(grads: Any) -> Any:
        return 3

    y.grad_fn.register_prehook(bad)
    y.backward()


def pre_hook_gives_too_many(torch: Any) -> None:
    y = leaf(torch) * 2

    def bad(grads: Any) -> Any:
        return (grads[0], grads[0])

    y.grad_fn.register_prehook(bad)
    y.backward()


def post_accumulate_hook_gives_something(torch: Any) -> None:
    x = leaf(torch)
    x.register_post_accumulate_grad_hook(lambda leaf: 3)
    (x * 2).backward()


ERRORS: list[tuple[Callable[[Any], None], type[BaseException], str]] = [
    (hook_without_gradient, RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"),
    (post_hook_of_a_non_leaf, RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors"),
    (retain_without_gradient, RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"),
    (hook_gives_a_number, TypeError, "expected Variable, but hook returned 'int'"),
    (hook_changes_the_shape, RuntimeError, "hook 'bad' has changed the size of value"),
    (
        hook_changes_the_type,
        RuntimeError,
        "hook 'bad' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)",
    ),
    (node_hook_gives_a_list, TypeError, "expected tuple, but hook returned 'list'"),
    (
        node_hook_gives_too_few,
        RuntimeError,
        "hook 'bad' has returned an incorrect number of values (got 1, but expected 2)",
    ),
    (pre_hook_gives_a_number, TypeError, "expected tuple, but hook returned 'int'"),
    (
        pre_hook_gives_too_many,
        RuntimeError,
        "hook 'bad' has returned an incorrect number of values (got 2, but expected 1)",
    ),
    (post_accumulate_hook_gives_something, TypeError, "expected Variable, but hook returned 'int'"),
]


@pytest.mark.parametrize(("act", "kind", "text"), ERRORS, ids=[e[0].__name__ for e in ERRORS])
def test_error(torch: Any, act: Callable[[Any], None], kind: type[BaseException], text: str) -> None:
    """Type and text are PyTorch's."""
    with pytest.raises(kind) as caught:
        act(torch)
    assert type(caught.value) is kind
    assert str(caught.value) == text
