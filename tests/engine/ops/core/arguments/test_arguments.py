"""Arguments at the edge of what functions take: None, negative counts, byte masks, `out=`, places beyond the end."""

from __future__ import annotations

import re
from typing import Any

import pytest


def test_byte_masks_warn(torch: Any) -> None:
    """They still pick elements, with a warning each time; a single number is not written through them."""
    x, mask = torch.arange(3.0), torch.tensor([1, 0, 1], dtype=torch.uint8)
    for _ in range(2):
        with pytest.warns(UserWarning, match="indexing with dtype torch.uint8 is now deprecated"):
            assert x[mask].tolist() == [0.0, 2.0]
    with pytest.warns(UserWarning, match="indexing with dtype torch.uint8 is now deprecated"):
        x[mask] = torch.tensor([5.0, 6.0])
    assert x.tolist() == [5.0, 1.0, 6.0]
    with pytest.raises(
        RuntimeError, match="masked_fill_ only supports boolean masks, but got mask with dtype unsigned"
    ):
        x[mask] = 2


def test_small_indices(torch: Any) -> None:
    """A 0-d index may be of any integer type, one with dims of int32 and int64 alone."""
    x = torch.arange(6).view(2, 3)
    one = torch.tensor(1, dtype=torch.int16)
    assert (x[one].tolist(), x[one, torch.tensor(2)].item(), x[:, one.to(torch.int8)].tolist()) == (
        [3, 4, 5],
        5,
        [1, 4],
    )
    x[one] = 9
    assert x.tolist() == [[0, 1, 2], [9, 9, 9]]
    with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool tensors"):
        x[one.view(1)]


def test_none_as_an_argument(torch: Any) -> None:
    """`to` of random_ and `dims` of roll may be None."""
    torch.manual_seed(0)
    assert (torch.empty(3, dtype=torch.int64).random_(0, None) >= 0).all()
    assert 5 <= torch.empty(3, dtype=torch.int8).random_(5, None).min() <= 127
    assert torch.empty(200, dtype=torch.bfloat16).random_(0, None).max() <= 256
    assert torch.roll(torch.arange(4), 1, dims=None).tolist() == [3, 0, 1, 2]
    with pytest.raises(RuntimeError, match=r"shifts and dimensions must align\. shifts: 2, dims:0"):
        torch.roll(torch.arange(4), (1, 2))


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda t: t.repeat_interleave(t.tensor([1, -1])), RuntimeError, "repeats can not be negative"),
        (lambda t: t.repeat_interleave(t.ones(2), -1), RuntimeError, "Repeats must be non-negative"),
        (
            lambda t: t.repeat_interleave(t.ones(2), t.tensor([1, 2, 3])),
            RuntimeError,
            r"must have the same size as input along dim, but got repeats.size\(0\) = 3 and input.size\(0\) = 2",
        ),
        (
            lambda t: t.repeat_interleave(t.ones(2), t.tensor([[1]])),
            RuntimeError,
            "repeats must be 0-dim or 1-dim tensor",
        ),
        (
            lambda t: t.repeat_interleave(t.ones(2), t.tensor([1, 2]), output_size=4),
            RuntimeError,
            "allocated size does not match required size",
        ),
        (lambda t: t.ones(2).repeat(-1), RuntimeError, "Trying to create tensor with negative dimension -2"),
        (lambda t: t.broadcast_shapes((1, -12), (1, 1)), ValueError, "broadcast a dimension with negative length!"),
        (lambda t: t.broadcast_shapes((2.5,)), TypeError, "takes an iterable of 'int' "),
        (
            lambda t: t.unravel_index(t.tensor(0), [2.0]),
            TypeError,
            "sequence to only contain ints, but got <class 'float'",
        ),
        (
            lambda t: t.unravel_index(t.tensor(0), 2.0),
            TypeError,
            "to be int or sequence of ints, but got <class 'float'>",
        ),
        (lambda t: t.unravel_index(t.tensor(0), (2, -2)), ValueError, "'shape' cannot have negative values, but got"),
        (lambda t: t.range(1, 0), RuntimeError, "upper bound and lower bound inconsistent with step sign"),
        (lambda t: t.ones(2).index_put([], t.ones(1), True), RuntimeError, "ntensor >= 3 INTERNAL ASSERT FAILED at"),
        (
            lambda t: t.nonzero(t.eye(2), as_tuple=True, out=t.empty(0, dtype=t.int64)),
            RuntimeError,
            "nonzero does not support the out kwarg when as_tuple is True",
        ),
        (
            lambda t: t.arange(3, out=t.zeros(3, requires_grad=True)),
            RuntimeError,
            r"aten::arange\(\): functions with out=... arguments don't support automatic differentiation",
        ),
    ],
)
def test_refusals(torch: Any, call: Any, error: type, text: str) -> None:
    """PyTorch's types and words."""
    with pytest.raises(error, match=text):
        call(torch)


def test_nothing_joined(torch: Any) -> None:
    """Tensors of shape [0] are passed over, whatever the dim, and are a result of their own."""
    nothing = torch.randn(0)
    assert torch.cat([nothing, nothing], dim=1).shape == (0,)
    assert torch.cat([nothing, torch.ones(2, 3)], dim=1).shape == (2, 3)


def test_places_counted_in_a_row(torch: Any) -> None:
    """Places beyond the end begin anew, negative ones count from it."""
    for place, row, column in ((3, 1, 1), (4, 0, 0), (-1, 1, 1)):
        assert [x.item() for x in torch.unravel_index(torch.tensor(place), (2, 2))] == [row, column]


def test_repeats_of_a_tensor_of_one(torch: Any) -> None:
    """It is one number for each entry, which index_select then picks."""
    w = torch.ones(2, requires_grad=True)
    y = torch.repeat_interleave(w, torch.tensor([3]))
    assert (y.shape, type(y.grad_fn).__name__) == ((6,), "IndexSelectBackward0")
    y.sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


@pytest.mark.filterwarnings("ignore:The number of elements in the out tensor")
def test_a_row_of_another_length(torch: Any) -> None:
    """arange warns before it resizes `out=`."""
    with pytest.warns(UserWarning, match=r"The out tensor will be resized to a tensor of shape \(3,\)"):
        assert torch.arange(3, out=torch.zeros(4)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda f, t: f.layer_norm(None, (2,)),
            "layer_norm(): argument 'input' (position 1) must be Tensor, not NoneType",
        ),
        (lambda f, t: f.layer_norm(t, (2,), 3), "layer_norm(): argument 'weight' (position 3) must be Tensor, not int"),
        (lambda f, t: f.rms_norm(None, (2,)), "rms_norm(): argument 'input' (position 1) must be Tensor, not NoneType"),
        (lambda f, t: f.dropout(None), "dropout(): argument 'input' (position 1) must be Tensor, not NoneType"),
    ],
)
def test_functions_of_modules_name_what_is_no_tensor(torch: Any, call: Any, text: str) -> None:
    with pytest.raises(TypeError, match=re.escape(text)):
        call(torch.nn.functional, torch.ones(2, 2))
    with pytest.raises(TypeError, match=re.escape("cdist(): argument 'x2' (position 2) must be Tensor, not NoneType")):
        torch.cdist(torch.ones(2, 2), None)
