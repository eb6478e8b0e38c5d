"""Tensors made from nothing, from shapes and from nested data: shapes, dtypes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

SELF_REFERENTIAL: list[Any] = []
SELF_REFERENTIAL.append(SELF_REFERENTIAL)


def test_old_constructors_without_arguments(torch: Any) -> None:
    """They give no element, of the type that they stand for."""
    for name in ("Tensor", "FloatTensor", "LongTensor", "ByteTensor", "BoolTensor", "DoubleTensor", "HalfTensor"):
        assert tuple(getattr(torch, name)().shape) == (0,), name
    assert (torch.Tensor().dtype, torch.LongTensor().dtype) == (torch.float32, torch.int64)
    assert torch.zeros(3, dtype=torch.int8).new().shape == (0,)
    losses = torch.Tensor()
    for value in (1.0, 2.0):
        losses = torch.cat((losses, torch.tensor([value])))
    assert losses.tolist() == [1.0, 2.0]
    assert torch.rand(3, 3)[torch.LongTensor()].shape == (0, 3)


def test_old_constructors_with_shapes_and_data(torch: Any) -> None:
    """Integers and sizes are shapes, other sequences data, tensors aliases."""
    assert torch.Tensor(2, 3).shape == torch.Tensor(torch.Size([2, 3])).shape == torch.Tensor(size=(2, 3)).shape
    assert torch.Tensor((2, 3)).tolist() == torch.Tensor(data=[2.0, 3]).tolist() == [2.0, 3.0]
    assert torch.LongTensor([1.5, 2]).tolist() == [1, 2]
    assert torch.FloatTensor(torch.Size([])).shape == ()
    w = torch.ones(2, requires_grad=True)
    alias = torch.Tensor(w)
    assert (type(alias.grad_fn).__name__, alias._is_view()) == ("AliasBackward0", True)
    assert torch.Tensor(torch.tensor([1, 2])).dtype is torch.int64


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda t: t.Tensor(2.5), TypeError, r"new\(\): data must be a sequence \(got float\)"),
        (lambda t: t.Tensor(True), TypeError, r"new\(\): data must be a sequence \(got bool\)"),
        (lambda t: t.Tensor("ab"), TypeError, r"new\(\): invalid data type 'str'"),
        (lambda t: t.Tensor(2, -1), RuntimeError, r"Trying to create tensor with negative dimension -1: \[2, -1\]"),
        (lambda t: t.FloatTensor(1, 2.0), TypeError, "failed to unpack the object at pos 2 with error"),
        (lambda t: t.LongTensor(t.ones(2)), TypeError, r"expected TensorOptions\(dtype=long int, device=cpu"),
        (lambda t: t.Tensor(dtype=t.int32), TypeError, r"new\(\) received an invalid combination of arguments"),
        (lambda t: t.Tensor(2, device="meta"), RuntimeError, "legacy constructor expects device type: cpu but"),
        (lambda t: t.Tensor(2**62, 2), RuntimeError, r"Storage size calculation overflowed with sizes=\[46"),
        (lambda t: t.zeros(2**40, 2**40), RuntimeError, "Storage size calculation overflowed with sizes="),
        (lambda t: t.full((3, -1), 1), RuntimeError, "Trying to create tensor with negative dimension -1"),
        (lambda t: t.zeros(3, -1), RuntimeError, "zeros: Dimension size must be non-negative"),
        (lambda t: t.tensor(SELF_REFERENTIAL), ValueError, "too many dimensions 'list'"),
        (lambda t: t.tensor([[1, 2], [3]]), ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
        (lambda t: t.tensor([[1], 2]), TypeError, "not a sequence"),
        (lambda t: t.tensor([1, [2]]), TypeError, "'list' object cannot be interpreted as an integer"),
        (lambda t: t.tensor([1, None]), RuntimeError, "Could not infer dtype of NoneType"),
        (lambda t: t.tensor(b"ab"), TypeError, r"new\(\): invalid data type 'bytes'"),
        (lambda t: t.tensor([1j], dtype=t.float32), TypeError, "must be real number, not complex"),
        (lambda t: t.tensor([t.ones(2)]), ValueError, "only one element tensors can be converted to Python scalars"),
    ],
)
def test_refusals(torch: Any, make: Any, error: type, text: str) -> None:
    """PyTorch's types and words."""
    with pytest.raises(error, match=text):
        make(torch)


@pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy")
def test_dtypes_of_nested_data(torch: Any) -> None:
    """Tensors and numpy's numbers bring their own dtype, Python's the default one."""
    double = torch.ones(2, dtype=torch.float64)
    assert torch.tensor([double.sum(), 1.0]).dtype is torch.float64
    assert torch.tensor([[double[0]], [torch.tensor(1)]]).dtype is torch.float64
    assert torch.tensor([torch.tensor(1, dtype=torch.int8)]).dtype is torch.int8
    assert torch.tensor([1, np.float32(2)]).dtype is torch.float32
    assert torch.tensor(((7, 5), (9, np.array(5.0)))).dtype is torch.float64
    assert torch.tensor([np.array([1, 2]), np.array([3, 4])]).tolist() == [[1, 2], [3, 4]]
    assert torch.tensor([float("nan"), 0, 5], dtype=torch.bool).tolist() == [True, False, True]
    assert torch.tensor([range(2), range(2)]).tolist() == [[0, 1], [0, 1]]
    assert torch.tensor(bytearray(b"ab")).tolist() == [97, 98]
    assert torch.tensor([True, 2.5]).tolist() == [1.0, 2.5]


def test_pieces(torch: Any) -> None:
    """tensor_split and its kin count places from the end too, and clamp them."""
    x = torch.arange(5)

    def lists(pieces: Any) -> Any:
        return [p.tolist() for p in pieces]

    assert lists(torch.tensor_split(x, (3, -1, 7))) == [[0, 1, 2], [3], [4], []]
    assert lists(torch.tensor_split(x, (-1, -2))) == [[0, 1, 2, 3], [], [3, 4]]
    assert lists(torch.tensor_split(x, torch.tensor([1, -2]))) == [[0], [1, 2], [3, 4]]
    assert lists(torch.hsplit(x, (-1,))) == [[0, 1, 2, 3], [4]]
    assert lists(torch.vsplit(torch.arange(4).view(2, 2), (-1,))) == [[[0, 1]], [[2, 3]]]
    w = torch.rand(4, requires_grad=True)
    first, _ = torch.tensor_split(w, (-1,))
    (first * 2).sum().backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0, 0.0]
    for split in (
        lambda: torch.tensor_split(x, 0),
        lambda: torch.hsplit(x[:4], -2),
        lambda: x.tensor_split(torch.tensor(0)),
    ):
        with pytest.raises(RuntimeError, match="number of sections must be larger than 0, got"):
            split()
    with pytest.raises(RuntimeError, match="to have dtype of long, but got Float"):
        torch.tensor_split(x, torch.tensor([1.0]))
    with pytest.raises(RuntimeError, match="split_sizes have only non-negative entries, but got"):
        torch.split(x, [1, -1, 5])


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_rows_in_tensors_of_another_shape(torch: Any) -> None:
    """arange and its kin fill `out=` as it is where it has as many elements."""
    for name, arguments in (("arange", (4,)), ("linspace", (0, 3, 4)), ("range", (0, 3))):
        x = torch.zeros(2, 3)
        y = getattr(torch, name)(*arguments, out=x.narrow(1, 1, 2))
        assert x.tolist() == [[0, 0, 1], [0, 2, 3]], name
        assert tuple(y.shape) == (2, 2)


def test_resize_with_a_memory_format(torch: Any) -> None:
    """The dims lie in memory as the format says."""
    x = torch.arange(24.0)
    x.resize_((2, 3, 2, 2), memory_format=torch.channels_last)
    assert (x.stride(), x[0, 0].tolist()) == ((12, 1, 6, 3), [[0.0, 3.0], [6.0, 9.0]])
    like = torch.zeros(2, 3, 2, 2).contiguous(memory_format=torch.channels_last)
    assert torch.arange(24.0).resize_as_(like).stride() == (12, 4, 2, 1)
    assert torch.arange(24.0).resize_as_(like, memory_format=torch.preserve_format).stride() == (12, 1, 6, 3)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        torch.arange(4.0).resize_(2, 2, memory_format=torch.channels_last)
    with pytest.raises(RuntimeError, match="Unsupported memory formatPreserve"):
        torch.arange(4.0).resize_(2, 2, memory_format=torch.preserve_format)
    with pytest.raises(RuntimeError, match=r"Storage size calculation overflowed with sizes=\[2, 4, 536870912"):
        torch.empty(1, dtype=torch.float64).resize_([2, 4, 2**29, 2**29])


def test_strides_without_elements(torch: Any) -> None:
    """Slices without elements keep the steps of what they are cut from, and so do views of them and copies."""
    x = torch.rand(2, 3, 4)
    assert (x[:, 1:1].stride(), x[..., 0:0].stride(), x[:, None, 1:1].stride()) == (
        (12, 4, 1),
        (12, 4, 1),
        (12, 12, 4, 1),
    )
    assert (torch.empty(0, 3)[:, 1:2].stride(), torch.empty(0, 3).t().stride()) == ((3, 1), (1, 3))
    assert torch.zeros(2, 0, 3).transpose(0, 2).stride() == (1, 3, 3)
    y = x[:, 1:1]
    assert (y.clone().stride(), y.double().stride(), y[None].stride()) == ((12, 4, 1), (12, 4, 1), (24, 12, 4, 1))
    assert (torch.rand(4, 5)[1:1, ::2].stride(), torch.rand(4, 5).t()[2:2].stride()) == ((5, 2), (1, 5))


def test_strides_of_dims_of_one(torch: Any) -> None:
    """Copies of tensors without gaps have just their strides."""
    x = torch.randn(1, 2).t()
    assert (x.clone().stride(), x.double().stride(), torch.empty_like(x).stride()) == ((1, 2), (1, 2), (1, 2))
    assert torch.randn(2, 1).t().clone().stride() == (1, 1)
    assert torch.randn(1, 3, 1, 1).permute(0, 2, 3, 1).clone().stride() == (3, 1, 1, 1)
    image = torch.rand(2, 3, 4, 5)
    assert torch.empty_like(image, memory_format=torch.channels_last).stride() == (60, 1, 15, 3)
    assert torch.zeros_like(image.transpose(1, 3), memory_format=torch.contiguous_format).stride() == (60, 12, 3, 1)
