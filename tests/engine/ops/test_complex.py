"""Every op on complex numbers: its gradients against central differences, or the error that PyTorch has instead.

What each sample takes is derived from its real inputs, so that a new op is tried without a row of its own.
`complex_errors.json` has PyTorch's error for each sample that it refuses; `record_complex_errors.py` writes it.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = [
    pytest.mark.filterwarnings("ignore:Casting complex values to real"),
    pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad=True to a scalar"),
]

ERRORS: dict[str, str] = json.loads(Path(__file__).with_name("complex_errors.json").read_text("utf-8"))
STEP = 1e-6
Arrays = list[np.ndarray[Any, Any]]


@pytest.fixture
def torch(ours: Any) -> Any:
    """Backscope's torch."""
    return ours


def raw(tensor: Any) -> np.ndarray[Any, Any]:
    """The value of a tensor as an array of its own."""
    return np.array(tensor.detach().resolve_conj().resolve_neg().numpy(force=True))


def weights(like: Any, phase: float) -> np.ndarray[Any, Any]:
    """Fixed numbers to weigh elements with."""
    places = np.arange(int(np.prod(like.shape))).reshape(like.shape)
    real = np.cos(places * 0.7 + phase)
    return real + 1j * np.sin(places * 0.4 + phase) if "complex" in str(like.dtype) else real


def called(torch: Any, sample: Any, arrays: Any) -> tuple[Any, list[Any]]:
    """The result of a sample, and the leaves that were its inputs."""
    torch.manual_seed(0)
    inputs = [torch.as_tensor(a.copy()) for a in arrays]
    leaves = [x.requires_grad_() for x in inputs if x.dtype.is_floating_point or x.dtype.is_complex]
    return sample.call(torch, *inputs), leaves


def error_of(torch: Any, sample: Any) -> str | None:
    """Type and text of the error of a sample on complex numbers, forward or backward."""
    try:
        out, leaves = called(torch, sample, sample.complex_inputs())
        if out.requires_grad:
            gradients(torch, out, leaves)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return f"{type(error).__name__}: {error}"
    return None


def gradients(torch: Any, out: Any, leaves: list[Any], *, recorded: bool = False) -> list[Any]:
    """The gradients of a weighed result; zeros where there is none."""
    like = torch.as_tensor(np.asarray(weights(out, 0.3))).to(out.dtype)
    return list(
        torch.autograd.grad(out, leaves, like, create_graph=recorded, allow_unused=True, materialize_grads=True)
    )


def directions(arrays: Arrays) -> Iterator[Arrays]:
    """Ways to move each input by itself, along its real and along its imaginary axis."""
    for moved, array in enumerate(arrays):
        for unit in (1, 1j) if np.iscomplexobj(array) else (1,):
            steps = np.cos(np.arange(array.size) * 0.9 + 0.2).reshape(array.shape) * unit
            yield [steps if i == moved else np.zeros_like(a) for i, a in enumerate(arrays)]


def check_differences(found: Arrays, value_of: Callable[[Arrays], float], arrays: Arrays, tolerance: float) -> None:
    """A gradient's share of each direction is how much the value changes along it."""
    for direction in directions(arrays):
        up, down = ([a + s * d for a, d in zip(arrays, direction, strict=True)] for s in (STEP, -STEP))
        wanted = (value_of(up) - value_of(down)) / (2 * STEP)
        share = sum(float(np.sum((np.conj(g) * d).real)) for g, d in zip(found, direction, strict=True))
        assert share == pytest.approx(wanted, rel=tolerance, abs=tolerance), direction


def test_gradient_by_complex_numbers_is_the_central_difference(
    torch: Any, sample: Any, request: pytest.FixtureRequest
) -> None:
    """In PyTorch's convention: the gradient is the conjugate of the derivative, along both axes."""
    listed = ERRORS.get(request.node.callspec.id)
    assert error_of(torch, sample) == listed, "an op that refuses complex numbers is listed in complex_errors.json"
    if listed is not None:
        return
    arrays = list(sample.complex_inputs())
    out, leaves = called(torch, sample, arrays)
    if not out.requires_grad:
        return

    def value_of(moved: Arrays) -> float:
        value = raw(called(torch, sample, moved)[0])
        return float(np.sum((np.conj(weights(value, 0.3)) * value).real))

    check_differences([raw(g) for g in gradients(torch, out, leaves)], value_of, arrays, 1e-5)


def test_second_derivative_by_complex_numbers_is_the_central_difference(
    torch: Any, sample: Any, request: pytest.FixtureRequest
) -> None:
    if request.node.callspec.id in ERRORS or not (sample.twice and sample.differentiable):
        return
    arrays = list(sample.complex_inputs())
    out, leaves = called(torch, sample, arrays)
    plain = [raw(g) for g in gradients(torch, out, leaves)]
    out, leaves = called(torch, sample, arrays)
    recorded = gradients(torch, out, leaves, recorded=True)
    for a, b in zip(plain, recorded, strict=True):
        np.testing.assert_allclose(a, raw(b), rtol=1e-10, atol=1e-12)
    live = [i for i, g in enumerate(recorded) if g.requires_grad]
    if not live:
        return
    total: Any = sum((torch.as_tensor(np.conj(weights(recorded[i], 0.9))) * recorded[i]).real.sum() for i in live)
    got = torch.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True)

    def value_of(moved: Arrays) -> float:
        found = [raw(g) for g in gradients(torch, *called(torch, sample, moved))]
        return sum(float(np.sum((np.conj(weights(found[i], 0.9)) * found[i]).real)) for i in live)

    check_differences([raw(g) for g in got], value_of, arrays, 2e-5)


@pytest.mark.torch
def test_complex_numbers_are_taken_and_refused_as_by_pytorch(
    torch: Any, sample: Any, request: pytest.FixtureRequest
) -> None:
    real = importlib.import_module("torch")
    assert error_of(real, sample) == ERRORS.get(request.node.callspec.id)
    if request.node.callspec.id in ERRORS:
        return
    for requires_grad in (True, False):
        (got, ours), (want, theirs) = (called(t, sample, sample.complex_inputs()) for t in (torch, real))
        np.testing.assert_allclose(raw(got), raw(want), rtol=1e-9, atol=1e-11)
        if requires_grad and want.requires_grad:
            for a, b in zip(gradients(torch, got, ours), gradients(real, want, theirs), strict=True):
                np.testing.assert_allclose(raw(a), raw(b), rtol=1e-8, atol=1e-10)


def test_every_listed_error_is_of_a_sample(rows: Any) -> None:
    assert {name.partition("-")[0] for name in ERRORS} <= {s.op for s in rows.SAMPLES}
