"""Protects every op against differences to PyTorch on the same samples: values, dtypes, strides, nodes, gradients."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:Casting complex values to real")]


COMPOSED_THERE = {
    "affine_grid_generator_backward",
    "as_strided_elements",
    "mkldnn_rnn_layer",
    "place_at_largest",
    "read_at_largest",
    "unpack_steps",
}
"""Ops that stand for several of PyTorch's: the values are the same, nodes and layout are not."""


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    """Return Backscope's torch and PyTorch."""
    return importlib.import_module("backscope.torch"), importlib.import_module("torch")


def leaves(torch: Any, sample: Any, kind: str | None = None) -> list[Any]:
    """Return the inputs of a sample as leaves."""
    made = []
    for array in sample.inputs:
        leaf = torch.as_tensor(np.array(array))
        made.append((leaf if kind is None else leaf.to(getattr(torch, kind))).requires_grad_())
    return made


def raw(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the value of a tensor."""
    tensor = tensor.detach().resolve_conj()
    return np.array((tensor.double() if "bfloat16" in str(tensor.dtype) else tensor).numpy(force=True))


def describe(tensor: Any, sample: Any) -> tuple[Any, ...]:
    """Return what must be equal of a result apart from its values."""
    strides = None if sample.op in COMPOSED_THERE else tuple(tensor.stride())
    return tuple(tensor.shape), str(tensor.dtype), strides, tensor.requires_grad


def test_results_are_those_of_pytorch(pair: tuple[Any, Any], sample: Any) -> None:
    got, want = (sample.call(t, *leaves(t, sample)) for t in pair)
    assert describe(got, sample) == describe(want, sample)
    np.testing.assert_allclose(raw(got), raw(want), rtol=1e-12, atol=1e-14)


def test_nodes_of_differentiable_ops_are_those_of_pytorch(pair: tuple[Any, Any], sample: Any) -> None:
    if sample.op in COMPOSED_THERE:
        pytest.skip("PyTorch composes this of several ops")
    got, want = (sample.call(t, *leaves(t, sample)).grad_fn for t in pair)
    assert type(got).__name__ == type(want).__name__
    assert [type(n).__name__ for n, _ in got.next_functions] == [type(n).__name__ for n, _ in want.next_functions]


def test_gradients_of_differentiable_ops_are_those_of_pytorch(pair: tuple[Any, Any], sample: Any) -> None:
    gradients = []
    for t in pair:
        inputs = leaves(t, sample)
        out = sample.call(t, *inputs)
        gradients.append(t.autograd.grad(out, inputs, t.ones_like(out), allow_unused=True))
    for got, want in zip(*gradients, strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            assert describe(got, sample)[:2] == describe(want, sample)[:2]
            np.testing.assert_allclose(raw(got), raw(want), rtol=1e-10, atol=1e-12)


def test_results_in_other_dtypes_are_those_of_pytorch(pair: tuple[Any, Any], sample: Any, kind: str) -> None:
    got, want = (sample.call(t, *leaves(t, sample, kind)) for t in pair)
    assert describe(got, sample) == describe(want, sample)
    tolerance = {"float32": 2e-6, "float16": 2e-3, "bfloat16": 1.6e-2}[kind]
    np.testing.assert_allclose(raw(got), raw(want), rtol=tolerance, atol=tolerance)
