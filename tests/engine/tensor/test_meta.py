"""The device "meta": shapes and dtypes without data, through ops and the backward pass; devices that are not there."""

from __future__ import annotations

import functools
from typing import Any

import pytest


def test_printing(torch: Any) -> None:
    """Size and dtype are all there is to tell."""
    assert repr(torch.empty(2, 3, device="meta")) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(torch.zeros((), dtype=torch.int64, device="meta")) == (
        "tensor(..., device='meta', size=(), dtype=torch.int64)"
    )
    x = torch.ones(2, device="meta", requires_grad=True)
    assert repr(x * 2) == "tensor(..., device='meta', size=(2,), grad_fn=<MulBackward0>)"


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda t, x: x @ x.T, (2, 2)),
        (lambda t, x: x.sum(), ()),
        (lambda t, x: x.mean(0, keepdim=True), (1, 3)),
        (lambda t, x: x[:, 1:], (2, 2)),
        (lambda t, x: x[0], (3,)),
        (lambda t, x: t.cat([x, x]), (4, 3)),
        (lambda t, x: x.softmax(1).exp() + 1, (2, 3)),
        (lambda t, x: x.view(3, 2).t(), (2, 3)),
        (lambda t, x: x.argmax(1), (2,)),
        (lambda t, x: x.to(t.float64), (2, 3)),
        (lambda t, x: x.topk(2).values, (2, 2)),
        (lambda t, x: x + t.tensor(1.0), (2, 3)),
        (lambda t, x: t.zeros_like(x), (2, 3)),
        (lambda t, x: x.clone().detach(), (2, 3)),
    ],
)
def test_ops_give_shapes(torch: Any, call: Any, shape: tuple[int, ...]) -> None:
    """What is computed from a tensor without data has none either."""
    found = call(torch, torch.empty(2, 3, device="meta"))
    assert (tuple(found.shape), found.is_meta, str(found.device)) == (shape, True, "meta")


def test_backward(torch: Any) -> None:
    """Gradients are meta tensors too."""
    x = torch.empty(2, 3, device="meta", requires_grad=True)
    (x * 2).relu().sum().backward()
    assert (x.grad.is_meta, tuple(x.grad.shape)) == (True, (2, 3))


def test_large_tensors_cost_nothing(torch: Any) -> None:
    """A matrix of 40 GB, multiplied."""
    x = torch.empty(100_000, 100_000, device="meta")
    assert tuple((x @ x).shape) == (100_000, 100_000)
    assert tuple(x.sum(0).shape) == (100_000,)


def test_in_place_changes_count(torch: Any) -> None:
    """They change nothing but the version."""
    x = torch.zeros(3, device="meta")
    x.add_(1)
    x[0] = 5
    assert x._version == 2
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        torch.zeros(3).copy_(x)


@pytest.mark.parametrize(
    ("read", "error", "text"),
    [
        (lambda x: x.sum().item(), RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda x: bool(x.sum()), RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda x: x.tolist(), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: x.numpy(), TypeError, "can't convert meta device type tensor to numpy"),
        (lambda x: x.to("cpu"), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: x[x > 0], NotImplementedError, r"The register_meta function for torch.nonzero\(\)"),
    ],
)
def test_data_cannot_be_read(torch: Any, read: Any, error: type[Exception], text: str) -> None:
    """PyTorch's error for each way to read it."""
    with pytest.raises(error, match=text):
        read(torch.zeros(2, device="meta"))


@pytest.mark.parametrize("name", ["erf", "lgamma", "digamma", "special.erfinv", "sinc", "i0", "special.ndtri"])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_functions_of_one_tensor(torch: Any, name: str, shape: tuple[int, ...]) -> None:
    """Also those that numpy doesn't have stay on meta, forward and backward."""
    x = torch.empty(shape, device="meta", requires_grad=True)
    found = functools.reduce(getattr, name.split("."), torch)(x)
    found.sum().backward()
    assert (found.is_meta, found.shape, x.grad.is_meta) == (True, shape, True)


def test_a_function_of_two_tensors(torch: Any) -> None:
    """One that numpy doesn't have, of one shape and of a broadcast one."""
    x = torch.empty(3, device="meta")
    assert torch.special.gammainc(x, x).is_meta
    assert torch.special.gammainc(x, torch.empty((), device="meta")).is_meta


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_flipping_makes_a_copy(torch: Any, shape: tuple[int, ...]) -> None:
    """Its strides are those of a tensor with data."""
    assert torch.empty(shape, device="meta").flip(0).stride() == torch.empty(shape).flip(0).stride()


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("bias", [True, False])
def test_recurrent_modules(torch: Any, kind: str, bias: bool) -> None:
    """Their first states are on the device of the input, as are the biases that they lack."""
    layer = getattr(torch.nn, kind)(2, 3, bias=bias, device="meta")
    cell = getattr(torch.nn, kind + "Cell")(2, 3, bias=bias, device="meta")
    out, _ = layer(torch.empty(4, 5, 2, device="meta"))
    state = cell(torch.empty(5, 2, device="meta"))
    assert (out.is_meta, out.shape) == (True, (4, 5, 3))
    assert (state[0] if kind == "LSTM" else state).is_meta


def test_devices_do_not_mix(torch: Any) -> None:
    """Only a 0-d tensor may come from the CPU; the first tensor's device is the expected one."""
    x, y = torch.zeros(2, device="meta"), torch.ones(2)
    with pytest.raises(RuntimeError, match="Tensor on device cpu is not on the expected device meta!"):
        x + y
    with pytest.raises(RuntimeError, match="Tensor on device meta is not on the expected device cpu!"):
        y + x
    with pytest.raises(RuntimeError, match="Tensor on device meta is not on the expected device cpu!"):
        torch.cat([y, x])


def test_default_device(torch: Any) -> None:
    """New tensors are made on the default device, or on that of the block."""
    try:
        torch.set_default_device("meta")
        assert torch.ones(2).is_meta
        assert str(torch.get_default_device()) == "meta"
    finally:
        torch.set_default_device(None)
    with torch.device("meta"):
        assert torch.rand(2).is_meta
    assert not torch.ones(2).is_meta


@pytest.mark.parametrize("make", [lambda t: t.ones(2, device="cuda"), lambda t: t.ones(2).to("cuda:0")])
def test_cuda_is_not_there(torch: Any, make: Any) -> None:
    """The error of a build for the CPU alone."""
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        make(torch)
    assert not torch.cuda.is_available()


def test_device_objects(torch: Any) -> None:
    """They compare by type and index, and refuse unknown names."""
    assert torch.device("cpu") == torch.ones(1).device
    assert torch.device("cpu:0") != torch.device("cpu")
    assert repr(torch.device("cuda", 1)) == "device(type='cuda', index=1)"
    with pytest.raises(RuntimeError, match=r"Expected one of cpu, cuda, .* device type at start of device string: foo"):
        torch.device("foo")
    with pytest.raises(RuntimeError, match="Invalid device string: 'cpu:-1'"):
        torch.device("cpu:-1")


def test_recorded_without_values(record: Any) -> None:
    """Listeners hear of shape and dtype, and of no bytes."""
    source = "import torch\nx = torch.empty(100000, 100000, device='meta')\ny = x @ x\n"
    events = record(source).events
    (op,) = [e for e in events if type(e).__name__ == "OpApplied"]
    value = op.outputs[0].value
    assert (value.shape, value.dtype, value.nbytes, value.values) == ([100000, 100000], "float32", 0, [])
