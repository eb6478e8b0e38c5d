"""Kernels that take a shorter way for many numbers: the same values as the long one, also where it doesn't lead."""

import math

import numpy as np
import pytest

from backscope import torch
from backscope.autograd.ones import number, ones


@pytest.mark.parametrize("scale", [0.1, 30.0, 200.0, 1e4])
def test_softmax_of_rows_is_exact_whatever_their_size(scale):
    x = torch.randn(40, 33) * scale
    exact = x._data.astype(np.float64)
    powers = np.exp(exact - exact.max(-1, keepdims=True))
    np.testing.assert_allclose(
        torch.softmax(x, -1).numpy(), powers / powers.sum(-1, keepdims=True), rtol=2e-4, atol=1e-7
    )


def test_masked_rows_of_softmax_are_zero_and_empty_ones_nan():
    x = torch.randn(32, 16).masked_fill(torch.arange(16) > 7, -math.inf)
    found = torch.softmax(x, -1)
    assert not found[:, 8:].any()
    assert torch.allclose(found.sum(-1), torch.ones(32))
    x[3] = -math.inf
    assert torch.softmax(x, -1).isnan().any(-1).nonzero().tolist() == [[3]]


def test_attention_looks_nowhere_where_everything_is_masked():
    q = torch.randn(2, 2, 32, 8)
    mask = torch.zeros(32, 32).masked_fill(torch.arange(32)[:, None] == 5, -math.inf)
    masked = torch.nn.functional.scaled_dot_product_attention(q, q, q, mask)
    plain = torch.nn.functional.scaled_dot_product_attention(q, q, q)
    assert not masked[:, :, 5].any()
    assert torch.allclose(masked[:, :, 6:], plain[:, :, 6:], atol=1e-5)


def test_gelu_of_many_numbers_is_as_near_as_pytorchs():
    x = torch.linspace(-9, 9, 4001).requires_grad_()
    y = torch.nn.functional.gelu(x)
    y.sum().backward()
    values = x.tolist()
    shares = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in values])
    density = np.exp(np.square(values) * -0.5) / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(y.tolist(), values * shares, atol=1e-6)
    np.testing.assert_allclose(x.grad.tolist(), shares + values * density, atol=1e-6)


def test_gelu_of_many_numbers_is_at_its_limits_far_out():
    far = torch.tensor([1e10, -1e10, 3e38, -3e38])
    x = torch.cat([far, torch.ones(1000)]).requires_grad_()
    y = torch.nn.functional.gelu(x)
    y.sum().backward()
    assert y[:4].tolist() == [far[0].item(), 0, far[2].item(), 0]
    assert x.grad[:4].tolist() == [1, 0, 1, 0]
    infinite = torch.cat([torch.tensor([math.inf, -math.inf, math.nan]), torch.ones(1000)])
    found = torch.nn.functional.gelu(infinite)
    assert found[0] == math.inf
    assert found[1:3].isnan().all()
    assert torch.equal(found[3:].round(decimals=4), torch.full((1000,), 0.8413))


def test_a_sum_with_a_product_of_low_precision_is_rounded_once():
    """PyTorch gives -0.2754 here; with the product by beta rounded first it would be -0.2773."""
    row = torch.tensor([[-0.10302734375, 0.25, 0.25390625, 0.08837890625, -2.359375]], dtype=torch.bfloat16)
    column = torch.tensor([[0.10693359375], [0.103515625], [0.1767578125], [-0.25390625], [-0.2890625]]).bfloat16()
    found = torch.addmm(column[4:], row, column, beta=3.4445)
    assert found.item() == -0.275390625


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_products_with_transposed_batches_are_the_same(dtype):
    a, b = torch.randn(6, 5, 7, dtype=dtype), torch.randn(6, 9, 7, dtype=dtype)
    found = torch.bmm(a, b.transpose(1, 2))
    np.testing.assert_allclose(found.numpy(), np.einsum("bik,bjk->bij", a.numpy(), b.numpy()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("length", [3, 64, 100])
@pytest.mark.parametrize("value", [0.1, 123.456, -1e10, 1e19])
def test_a_layer_of_equal_numbers_is_normalized_to_zero_however_large_they_are(length, value):
    x = torch.randn(4, length)
    x[1:3] = value
    x.requires_grad_()
    y = torch.nn.functional.layer_norm(x, (length,))
    assert not y[1:3].any()
    assert torch.allclose(y.var(1, correction=0)[::3], torch.ones(2), atol=1e-3)
    y.pow(3).sum().backward()
    assert not x.grad[1:3].any()


def test_kept_vectors_are_not_to_be_written_to():
    for kept in (ones(8, np.dtype(np.float32)), number(3, np.dtype(np.float32))):
        with pytest.raises(ValueError, match="read-only"):
            kept[...] = 2


def test_a_view_of_a_changed_base_has_its_new_history_in_every_call():
    x = torch.ones(2, 3, 4, requires_grad=True)
    base = x * 1
    view = base.view(6, 4)
    base.mul_(2)
    view.t().reshape(2, 12).sum().backward()
    assert x.grad.unique().tolist() == [2.0]
