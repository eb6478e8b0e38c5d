"""Ops by PyTorch's internal names: overloads, calls, and what is missing."""

from __future__ import annotations

import pytest

from backscope import torch


def test_packets_and_overloads_are_called_and_shown_like_pytorchs():
    add = torch.ops.aten.add
    x = torch.ones(2)
    assert add.Tensor(self=x, other=x).tolist() == add(x, x).tolist() == [2.0, 2.0]
    assert str(add) == "aten.add"
    assert str(add.Tensor) == "aten.add.Tensor"
    assert repr(add.Scalar) == "<OpOverload(op='aten.add', overload='Scalar')>"
    assert add is torch.ops.aten.add
    assert add.Tensor is add.Tensor


def test_overloads_that_pytorch_lacks_are_refused_in_its_words():
    with pytest.raises(AttributeError, match=r"The underlying op of 'aten\.add' has no overload name 'Foo'"):
        torch.ops.aten.add.Foo  # noqa: B018


def test_ops_that_backscope_lacks_are_named_with_what_comes_nearest():
    with pytest.raises(AttributeError, match=r"torch.ops.aten.*'max_pool2d_with_indice'.*max_pool2d_with_indices"):
        torch.ops.aten.max_pool2d_with_indice  # noqa: B018


def test_declared_ops_without_a_public_name_have_their_internal_one():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    assert torch.ops.aten.slice.Tensor(x, 1, 0, 2).grad_fn.name() == "SliceBackward0"
    assert torch.ops.aten.select_backward(x[0], [2, 3], 0, 1).tolist() == [[0.0, 0.0, 0.0], [0.0, 1.0, 2.0]]
    assert torch.ops.aten.view_copy(x, [6])._is_view() is False
