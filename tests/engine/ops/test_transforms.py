"""Every op under transforms: its tangent against a difference, the op mapped over a batch against a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Casting complex values to real")
STEP = 1e-6


@pytest.fixture
def torch(ours: Any) -> Any:
    """Backscope's torch."""
    return ours


def raw(tensor: Any) -> np.ndarray[Any, Any]:
    """The value of a tensor as an array of its own."""
    return np.array(tensor.detach().resolve_conj().numpy(force=True))


def direction(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Fixed numbers to move an input along."""
    places = np.arange(array.size).reshape(array.shape)
    real = np.cos(places * 0.9 + 0.2)
    return real + 1j * np.sin(places * 0.5) if np.iscomplexobj(array) else real


def test_tangent_of_differentiable_op_is_the_directional_difference(torch: Any, sample: Any) -> None:
    """Whichever rule an op's tangent has."""
    if sample.op == "fw_primal":
        pytest.skip("the sample opens a level of its own")
    forward = torch.autograd.forward_ad
    moves = [direction(a) for a in sample.inputs]
    torch.manual_seed(0)
    with forward.dual_level():
        duals = [
            forward.make_dual(torch.as_tensor(np.array(a)).requires_grad_(), torch.as_tensor(m))
            for a, m in zip(sample.inputs, moves, strict=True)
        ]
        try:
            tangent = forward.unpack_dual(sample.call(torch, *duals)).tangent
        except NotImplementedError as error:
            if "Trying to use forward AD with" not in str(error):
                raise
            pytest.skip("PyTorch has no forward mode of this op")

    def value(scale: float) -> np.ndarray[Any, Any]:
        torch.manual_seed(0)
        moved = [torch.as_tensor(a + scale * m).requires_grad_() for a, m in zip(sample.inputs, moves, strict=True)]
        return raw(sample.call(torch, *moved))

    expected = (value(STEP) - value(-STEP)) / (2 * STEP)
    found = np.zeros_like(expected) if tangent is None else raw(tangent)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


RANDOM = (
    "bernoulli",
    "normal_",
    "uniform",
    "exponential",
    "geometric",
    "cauchy",
    "log_normal",
    "random",
    "dropout",
    "rrelu",
    "masked_scale",
    "standard_gamma",
    "poisson",
)
"""Ops that draw numbers: their batch is drawn at once, which the samples' own seeds don't know of."""


def test_mapped_op_is_what_a_loop_gives(torch: Any, sample: Any) -> None:
    """The op over a batch of two in a leading and in a trailing dim, and its gradients through the batch."""
    if any(part in sample.op for part in RANDOM if "_grad" not in sample.op) or sample.op == "normal":
        pytest.skip("numbers are drawn for the whole batch")
    if sample.op == "linalg_lstsq":
        pytest.skip("whether it gives residuals depends on values")
    batches = [
        np.stack([np.array(a), np.array(a)[..., ::-1] if np.ndim(a) else np.array(a) * 1.1]) for a in sample.inputs
    ]
    leaves = [torch.as_tensor(b).requires_grad_() for b in batches]

    def call(*inputs: Any) -> Any:
        return sample.call(torch, *inputs)

    try:
        expected = torch.stack([call(*[x[i].clone() for x in leaves]) for i in range(2)])
    except (RuntimeError, ValueError, IndexError):
        pytest.skip("the second example is none that the op takes, or its result has another shape")
    try:
        found = torch.vmap(call)(*leaves)
    except RuntimeError as error:
        if "does not require grad" not in str(error) and "Batch norm got a batched tensor" not in str(error):
            raise
        pytest.skip("PyTorch refuses gradients of examples inside vmap, and their running statistics")
    trailing = [x.detach().movedim(0, -1) for x in leaves]
    moved = torch.vmap(call, in_dims=-1, out_dims=-1)(*trailing)
    np.testing.assert_allclose(raw(found), raw(expected), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(raw(moved), np.moveaxis(raw(expected), 0, -1), rtol=1e-6, atol=1e-9)
    if not (expected.requires_grad and sample.differentiable):
        return
    weight = torch.as_tensor(direction(raw(expected))).to(expected.dtype)
    through = torch.autograd.grad(found, leaves, weight, allow_unused=True, materialize_grads=True)
    wanted = torch.autograd.grad(expected, leaves, weight, allow_unused=True, materialize_grads=True)
    for a, b in zip(through, wanted, strict=True):
        np.testing.assert_allclose(raw(a), raw(b), rtol=1e-6, atol=1e-9)


WITHOUT_GRADIENTS_INSIDE_VMAP = (
    "grid_sampler_2d",
    "grid_sampler_3d",
    "linalg_lu_factor_ex",
    "linalg_lu_solve",
    "linalg_lstsq",
    "lu_unpack",
)
"""Ops whose gradient formulas read values: inside vmap they raise an error, which PyTorch does not."""


def test_gradients_of_each_example_are_those_of_a_loop(torch: Any, sample: Any) -> None:
    """grad inside vmap, over a batch of two."""
    if any(part in sample.op for part in RANDOM if "_grad" not in sample.op) or sample.op == "normal":
        pytest.skip("numbers are drawn for the whole batch")
    leaves = [
        torch.as_tensor(np.stack([np.array(a), np.array(a)[..., ::-1] if np.ndim(a) else np.array(a) * 1.1]))
        for a in sample.inputs
    ]

    def call(*inputs: Any) -> Any:
        result = sample.call(torch, *inputs)
        result = result if isinstance(result, torch.Tensor) else result[0]
        return (result.abs() if result.is_complex() else result * result).sum()

    gradient = torch.func.grad(call, argnums=tuple(i for i, x in enumerate(leaves) if x.is_floating_point()))
    try:
        one_by_one = [gradient(*[x[i].clone() for x in leaves]) for i in range(2)]
    except (RuntimeError, ValueError, IndexError, TypeError):
        pytest.skip("the example is none that can be differentiated by a transform")
    try:
        mapped = torch.vmap(gradient)(*leaves)
    except RuntimeError as error:
        refused = "Batch norm got a batched tensor" in str(error) or "does not require grad" in str(error)
        if not refused and sample.op not in WITHOUT_GRADIENTS_INSIDE_VMAP:
            raise
        pytest.skip("PyTorch refuses it too, or the formula reads values")
    for found, *each in zip(mapped, *one_by_one, strict=True):
        assert torch.allclose(found.double(), torch.stack(each).double(), 1e-4, 1e-5, equal_nan=True)
