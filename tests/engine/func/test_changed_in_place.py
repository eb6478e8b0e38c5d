"""In-place changes inside transforms: of tensors from outside, and of dual tensors under reverse mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated"),
    pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node"),
    pytest.mark.filterwarnings("ignore:There is a performance drop"),
]
Change = Callable[[Any, Any], Any]
MUTATED = r"attempted to call in-place operation \(aten::{}\) that would mutate a captured Tensor"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("t_", lambda t, c: c.t_()),
        ("squeeze_", lambda t, c: c.squeeze_()),
        ("squeeze_.dim", lambda t, c: c.squeeze_(0)),
        ("unsqueeze_", lambda t, c: c.unsqueeze_(0)),
        ("swapaxes_", lambda t, c: c.swapaxes_(0, 1)),
        ("as_strided_", lambda t, c: c.as_strided_((2,), (1,))),
        ("resize_", lambda t, c: c.resize_(2)),
        ("resize_as_", lambda t, c: c.resize_as_(t.ones(2))),
        ("set_.source_Tensor", lambda t, c: c.set_(t.ones(2))),
        ("detach_", lambda t, c: c.detach_()),
        ("fill_diagonal_", lambda t, c: c.fill_diagonal_(1)),
        ("fill_.Scalar", lambda t, c: c.fill_(1)),
        ("fill_.Tensor", lambda t, c: c.__setitem__(0, 1.0)),
        ("pow_.Scalar", lambda t, c: c.pow_(2)),
        ("lt_.Scalar", lambda t, c: c.lt_(1)),
        ("lerp_.Scalar", lambda t, c: c.lerp_(c, 0.5)),
        ("addcmul_", lambda t, c: c.addcmul_(c, c)),
        ("div_.Tensor_mode", lambda t, c: c.div_(2, rounding_mode="floor")),
        ("random_.to", lambda t, c: c.random_(3)),
        ("normal_", lambda t, c: c.normal_()),
    ],
)
def test_captured_tensor_is_not_changed(torch: Any, name: str, change: Change) -> None:
    captured = torch.zeros(3, 3)

    def changing(x: Any) -> Any:
        change(torch, captured)
        return x.sum()

    func = torch.func
    for call in (
        lambda: func.grad(changing)(torch.ones(2)),
        lambda: func.jvp(changing, (torch.ones(2),), (torch.ones(2),)),
        lambda: func.vmap(func.grad(changing))(torch.ones(2, 2)),
    ):
        with pytest.raises(RuntimeError, match=MUTATED.format(name)):
            call()
    assert captured.tolist() == [[0.0] * 3] * 3


def test_out_of_a_creation_may_be_captured(torch: Any) -> None:
    captured = torch.zeros(0)

    def filling(x: Any) -> Any:
        torch.arange(3, out=captured)
        return x.sum()

    assert torch.func.grad(filling)(torch.ones(2)).tolist() == [1.0, 1.0]
    assert captured.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("change", "second"),
    [
        (lambda y, x: y.mul_(x), [24.0, 48.0]),
        (lambda y, x: y.mul_(x).mul_(x), [96.0, 384.0]),
        (lambda y, x: y.pow_(2), [48.0, 96.0]),
        (lambda y, x: y.add_(x * x), [16.0, 28.0]),
    ],
)
def test_tangent_changed_in_place_is_differentiated(torch: Any, change: Change, second: list[float]) -> None:
    """y = 2x changed in place, then times x once more."""

    def changed(x: Any) -> Any:
        y = 2 * x
        change(y, x)
        return y.mul_(x)

    x = torch.tensor([2.0, 4.0])
    by_reverse = torch.func.jacrev(torch.func.jacfwd(changed))(x)
    assert [by_reverse[i, i, i].item() for i in range(2)] == pytest.approx(second)
    assert by_reverse.count_nonzero().item() == 2


def test_transforms_of_nothing(torch: Any) -> None:
    func = torch.func
    assert func.jacrev(lambda x: x[:0])(torch.ones(3)).shape == (0, 3)
    assert func.jacfwd(torch.sin)(torch.ones(0)).shape == (0, 0)
    with pytest.raises(AssertionError, match="tensors must have at least one element"):
        func.jacfwd(lambda x: torch.ones(1))(())
    with pytest.raises(AttributeError, match="'float' object has no attribute 'numel'"):
        func.jacfwd(torch.sin)(1.0)


def test_linearize_looks_at_what_it_is_given(torch: Any) -> None:
    func = torch.func
    with pytest.raises(ValueError, match=r"Expected primal to be floating point or complex, but got: torch\.int64"):
        func.linearize(lambda x: x * 1.0, torch.ones(2).long())
    with pytest.raises(AttributeError, match="'int' object has no attribute 'new_empty'"):
        func.linearize(lambda x, n: x * n, torch.ones(2), 2)
    with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
        func.jvp(lambda x: func.linearize(torch.sin, x)[0], (torch.ones(2),), (torch.ones(2),))
    with pytest.raises(RuntimeError, match="Batching rule not implemented for aten::_make_dual"):
        func.vmap(lambda x: func.linearize(torch.sin, x)[0])(torch.ones(2))


def test_argument_counted_from_the_end_is_left_as_it_is(torch: Any) -> None:
    def product(x: Any, y: Any) -> Any:
        return (x * y).sum()

    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    assert torch.func.jacfwd(product, argnums=-1)(x, y).tolist() == [0.0, 0.0]
    assert torch.func.jacrev(product, argnums=-1)(x, y).tolist() == [1.0, 2.0]


def test_names_that_functional_call_refuses(torch: Any) -> None:
    layer = torch.nn.Linear(1, 1)
    with pytest.raises(KeyError, match=r"tensor name can.*be empty string"):
        torch.func.functional_call(layer, {"": torch.ones(1)}, torch.ones(1))
    with pytest.raises(AttributeError, match="'int' object has no attribute 'rpartition'"):
        torch.func.functional_call(layer, {1: torch.ones(1)}, torch.ones(1))
