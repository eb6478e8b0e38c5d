"""Every op's formulas: first and second derivatives against central differences, raw values against Tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Casting complex values to real")


def leaves(torch: Any, sample: Any, kind: str | None = None) -> list[Any]:
    """The inputs of a sample as leaves that require grad."""
    made = []
    for array in sample.inputs:
        leaf = torch.as_tensor(np.array(array))
        if kind is not None:
            leaf = leaf.to(getattr(torch, kind))
        made.append(leaf.requires_grad_())
    return made


def weights(shape: tuple[int, ...], is_complex: bool, phase: float) -> np.ndarray[Any, Any]:
    """Fixed numbers to weigh the elements of a result with."""
    places = np.arange(int(np.prod(shape))).reshape(shape)
    real = np.cos(places * 0.7 + phase)
    return real + 1j * np.sin(places * 0.4 + phase) if is_complex else real


def weighed(value: np.ndarray[Any, Any], phase: float) -> float:
    """One real number of a result: the real part of its product with the weights."""
    return float(np.sum((np.conj(weights(value.shape, np.iscomplexobj(value), phase)) * value).real))


def first(torch: Any, sample: Any, inputs: list[Any], *, recorded: bool) -> Any:
    """The gradients of a sample's weighed result; zeros where there is none."""
    out = sample.call(torch, *inputs)
    like = weights(tuple(out.shape), out.dtype.is_complex, 0.3)
    return torch.autograd.grad(
        out, inputs, torch.as_tensor(np.asarray(like)).to(out.dtype),
        create_graph=recorded, allow_unused=True, materialize_grads=True,
    )  # fmt: skip


def numeric(value_of: Any, arrays: tuple[Any, ...], step: float = 1e-6) -> list[np.ndarray[Any, Any]]:
    """The gradients of a real function of arrays by central differences."""
    found = []
    for i, array in enumerate(arrays):
        gradient = np.zeros(array.shape, array.dtype)
        for place in np.ndindex(array.shape):
            for unit in (1, 1j) if np.iscomplexobj(array) else (1,):
                up, down = [a.copy() for a in arrays], [a.copy() for a in arrays]
                up[i][place] += step * unit
                down[i][place] -= step * unit
                gradient[place] += unit * (value_of(up) - value_of(down)) / (2 * step)
        found.append(gradient)
    return found


def raw(tensor: Any) -> np.ndarray[Any, Any]:
    """The value of a tensor as an array of its own."""
    return np.array(tensor.detach().resolve_conj().numpy(force=True))


@pytest.fixture
def torch(ours: Any) -> Any:
    """Backscope's torch."""
    return ours


def tensors(torch: Any, arrays: list[Any]) -> list[Any]:
    """Arrays as leaves that require grad."""
    return [torch.as_tensor(a.copy()).requires_grad_() for a in arrays]


def test_gradient_of_differentiable_op_is_the_central_difference(torch: Any, sample: Any) -> None:
    gradients = first(torch, sample, leaves(torch, sample), recorded=False)

    def value_of(arrays: list[Any]) -> float:
        return weighed(raw(sample.call(torch, *tensors(torch, arrays))), 0.3)

    for got, want in zip(gradients, numeric(value_of, sample.inputs), strict=True):
        np.testing.assert_allclose(raw(got), want, rtol=1e-5, atol=1e-7)


def test_second_derivative_of_differentiable_op_is_the_central_difference(torch: Any, sample: Any) -> None:
    if not sample.twice:
        pytest.skip("PyTorch has no second derivative of this op")
    inputs = leaves(torch, sample)
    gradients = first(torch, sample, inputs, recorded=True)
    live = [i for i, g in enumerate(gradients) if g.requires_grad]
    if not live:
        return
    total: Any = 0
    for i in live:
        like = weights(tuple(gradients[i].shape), gradients[i].dtype.is_complex, 0.9)
        total = total + (torch.as_tensor(np.conj(like)) * gradients[i]).real.sum()
    got = torch.autograd.grad(total, inputs, allow_unused=True, materialize_grads=True)

    def value_of(arrays: list[Any]) -> float:
        again = first(torch, sample, tensors(torch, arrays), recorded=False)
        return sum(weighed(raw(again[i]), 0.9) for i in live)

    for have, want in zip(got, numeric(value_of, sample.inputs), strict=True):
        np.testing.assert_allclose(raw(have), want, rtol=2e-5, atol=1e-6)


def test_formula_of_differentiable_op_gives_the_same_raw_and_recorded(torch: Any, sample: Any) -> None:
    plain = first(torch, sample, leaves(torch, sample), recorded=False)
    recorded = first(torch, sample, leaves(torch, sample), recorded=True)
    for a, b in zip(plain, recorded, strict=True):
        np.testing.assert_allclose(raw(a), raw(b), rtol=1e-12, atol=1e-14)


def test_gradients_have_shape_and_dtype_of_their_inputs(torch: Any, sample: Any, kind: str) -> None:
    exact = first(torch, sample, leaves(torch, sample), recorded=False)
    tolerance = {"float32": 1e-4, "float16": 2e-2, "bfloat16": 2e-1}[kind]
    for recorded in (False, True):
        inputs = leaves(torch, sample, kind)
        gradients = first(torch, sample, inputs, recorded=recorded)
        for leaf, gradient in zip(inputs, gradients, strict=True):
            assert gradient.dtype is leaf.dtype
            assert gradient.shape == leaf.shape
            assert gradient._data.dtype == leaf.dtype.np
        for got, want in zip(gradients, exact, strict=True):
            np.testing.assert_allclose(raw(got.to(torch.float64)), raw(want), rtol=tolerance, atol=tolerance)
