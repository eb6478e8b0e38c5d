"""In-place calls that write straight into memory: the same values and counters as those that take the long way."""

from __future__ import annotations

from typing import Any

import pytest

CALLS: dict[str, Any] = {
    "add": lambda t, other: t.add_(other),
    "add with alpha": lambda t, other: t.add_(other, alpha=-0.5),
    "sub": lambda t, other: t.sub_(other, alpha=2),
    "mul": lambda t, other: t.mul_(other),
    "div": lambda t, other: t.div_(other),
    "addcmul": lambda t, other: t.addcmul_(other, other, value=0.3),
    "addcdiv": lambda t, other: t.addcdiv_(other, other + 1, value=-0.3),
    "lerp little": lambda t, other: t.lerp_(other.to(t.dtype), 0.1),
    "lerp far": lambda t, other: t.lerp_(other.to(t.dtype), 0.9),
    "sqrt": lambda t, other: t.abs_().sqrt_(),
    "number": lambda t, other: t.mul_(3).add_(0.25),
    "itself": lambda t, other: t.mul_(t),
}


def _operands(torch: Any, where: str) -> tuple[Any, Any]:
    target, other = torch.arange(12.0).reshape(3, 4) - 5, torch.arange(12.0).reshape(3, 4) / 7
    if where == "views":
        target, other = torch.zeros(3, 8)[:, ::2].copy_(target), torch.zeros(4, 3).t().copy_(other)
    elif where == "double":
        target, other = target.double(), other.double()
    elif where == "mixed":
        target = target.double()
    elif where == "broadcast":
        other = other[0]
    return target, other


@pytest.mark.parametrize("where", ["plain", "views", "double", "mixed", "broadcast"])
@pytest.mark.parametrize("name", CALLS)
def test_values_and_version(torch: Any, name: str, where: str) -> None:
    """The target is changed in its own memory, and the change is counted, for whatever operands."""
    target, other = _operands(torch, where)
    wide = CALLS[name](target.double().clone(), other.double())
    before, address = target._version, target.data_ptr()
    assert CALLS[name](target, other) is target
    assert torch.allclose(target.double(), wide, atol=1e-6)
    assert target.data_ptr() == address
    assert target._version > before


def test_what_a_graph_needs_is_not_overwritten_unnoticed(torch: Any) -> None:
    """The counter that the saved tensor shares goes up, and the leaf is refused."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    with torch.no_grad():
        y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.mul_(2)


def test_operands_that_require_grad_are_tracked(torch: Any) -> None:
    """A target that does not require grad begins to."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.ones(2)
    y.mul_(x)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_targets_that_share_memory_with_an_operand_are_refused(torch: Any) -> None:
    """A part of it, that is; the whole is no harm."""
    memory = torch.arange(5.0)
    with pytest.raises(RuntimeError, match="single memory location"):
        memory[1:].add_(memory[:-1])


def test_arguments_are_checked(torch: Any) -> None:
    """Missing ones, and ones that the op does not have."""
    for arguments, named in (((), {}), ((1, 2, 3, 4), {}), ((1,), {"beta": 2})):
        with pytest.raises(TypeError):
            torch.ones(2).add_(*arguments, **named)
