"""Random numbers are PyTorch's: recorded sequences of mixed calls, the state's bytes, errors, and live comparison."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from backscope.random import Generator, default_generator

SEQUENCES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("random.json").read_text("utf-8"))
IDS = [f"{sequence['what']}-{sequence['seed']}".replace(" ", "_") for sequence in SEQUENCES]
# Drawn with sums, products and remainders alone: the same bits on every machine. The others call the C library.
EXACT = {"rand", "uniform", "randint", "random", "randperm", "bernoulli"}
ROUNDING = {
    "float16": 1e-3,
    "bfloat16": 1e-2,
    "float32": 2e-7,
    "complex64": 2e-7,
    "float64": 1e-14,
    "complex128": 1e-14,
}


def numpy_type(name: str) -> np.dtype:
    """The numpy dtype of a torch dtype's name."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def array(record: dict[str, Any]) -> np.ndarray:
    """A recorded array."""
    return np.frombuffer(bytes.fromhex(record["hex"]), numpy_type(record["dtype"])).reshape(record["shape"])


def argument(given: Any) -> Any:
    """A recorded argument: an array, a shape, a dtype or a number."""
    if isinstance(given, dict):
        return array(given)
    if isinstance(given, list):
        return tuple(given)
    return numpy_type(given) if isinstance(given, str) else given


@pytest.mark.parametrize("sequence", SEQUENCES, ids=IDS)
def test_recorded_sequences(sequence: dict[str, Any]) -> None:
    """Every call gives PyTorch's numbers, shape and dtype, and leaves the stream where PyTorch leaves it."""
    generator = Generator().manual_seed(sequence["seed"])
    for call in sequence["calls"]:
        numbers = getattr(generator, call["method"])(*map(argument, call["args"]))
        expected = array(call["result"])
        assert isinstance(numbers, np.ndarray)
        assert (numbers.dtype, numbers.shape) == (expected.dtype, expected.shape), call["pytorch"]
        if call["method"] in EXACT or expected.dtype.kind in "iub":
            assert numbers.tobytes() == expected.tobytes(), call
        else:
            wide = np.complex128 if expected.dtype.kind == "c" else np.float64
            tolerance = ROUNDING[call["result"]["dtype"]]
            np.testing.assert_allclose(numbers.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance)
    if generator._stream.kept_normal is None:
        assert hashlib.sha256(generator.get_state().numpy().tobytes()).hexdigest() == sequence["state"]


def test_float32_normals_have_the_same_bits() -> None:
    """Weights start out as PyTorch's to the last bit wherever the arithmetic is IEEE's."""
    calls = [call for sequence in SEQUENCES for call in sequence["calls"] if call["method"] == "randn"]
    assert sum(call["result"]["dtype"] == "float32" and call["args"][0] == [32] for call in calls) >= 4
    for sequence in SEQUENCES[:4]:
        generator = Generator().manual_seed(sequence["seed"])
        for call in sequence["calls"]:
            numbers = getattr(generator, call["method"])(*map(argument, call["args"]))
            if call["result"]["dtype"] == "float32" and np.prod(call["result"]["shape"]) >= 16:
                assert numbers.tobytes() == array(call["result"]).tobytes()


def test_a_state_continues_where_it_was_taken() -> None:
    """get_state and set_state carry the position, the kept normal and the seed."""
    for draws in (0, 1, 3, 311, 312, 313, 624, 625):
        generator = Generator().manual_seed(77)
        generator.rand((draws,))
        generator.randn((3,))
        state = generator.get_state().numpy()
        assert (state.shape, state.dtype) == ((5056,), np.uint8)
        expected = (generator.randn((3,)), generator.randint(0, 9, (4,)))
        other = Generator()
        other.set_state(state)
        assert other.initial_seed() == 77
        assert [x.tolist() for x in (other.randn((3,)), other.randint(0, 9, (4,)))] == [x.tolist() for x in expected]


def test_seeds() -> None:
    """Seeds wrap around as PyTorch's do, and seed() tells the one it took."""
    assert Generator().initial_seed() == 67280421310721
    assert Generator().manual_seed(-1).initial_seed() == 2**64 - 1
    assert Generator().manual_seed(2**64 - 1).initial_seed() == 2**64 - 1
    generator = Generator()
    taken = generator.seed()
    assert taken == generator.initial_seed()
    assert generator.rand((4,)).tolist() == Generator().manual_seed(taken).rand((4,)).tolist()
    assert str(default_generator.device) == "cpu"


def test_a_seed_forgets_the_kept_normal() -> None:
    """Seeding starts over, whatever was left from before."""
    generator = Generator().manual_seed(0)
    first = generator.randn((1,)).tolist()
    assert generator.manual_seed(0).randn((1,)).tolist() == first


def test_generators_do_not_share_their_stream() -> None:
    """A clone goes its own way from the same place."""
    generator = Generator().manual_seed(5)
    clone = generator.clone_state()
    assert generator.rand((3,)).tolist() == clone.rand((3,)).tolist()
    clone.rand((9,))
    assert generator.rand((1,)).tolist() != clone.rand((1,)).tolist()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda g: g.manual_seed(2**64), ValueError, "Overflow when unpacking long long"),
        (lambda g: g.manual_seed(1.5), RuntimeError, "manual_seed expected a long, but got float"),
        (lambda g: g.manual_seed(True), RuntimeError, "manual_seed expected a long, but got bool"),
        (
            lambda g: g.randint(5, 5, (2,)),
            RuntimeError,
            "random_ expects 'from' to be less than 'to', but got from=5 >= to=5",
        ),
        (lambda g: g.randint(0, 300, (2,), np.uint8), RuntimeError, "to - 1 is out of bounds for unsigned char"),
        (lambda g: g.randint(-1, 3, (2,), np.bool_), RuntimeError, "from is out of bounds for bool"),
        (
            lambda g: g.randperm(300, np.uint8),
            RuntimeError,
            "value cannot be converted to type uint8_t without overflow",
        ),
        (lambda g: g.randperm(5000, np.float16), RuntimeError, "n cannot be greater than 2049 for Half type."),
        (lambda g: g.rand((3,), np.int64), NotImplementedError, "\"check_uniform_bounds\" not implemented for 'Long'"),
        (lambda g: g.randn((3,), np.int64), NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Long'"),
        (
            lambda g: g.uniform(2, 1, (3,)),
            RuntimeError,
            "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
        ),
        (lambda g: g.uniform(0, 1e39, (3,)), RuntimeError, "to is out of bounds for float"),
        (lambda g: g.normal(0, -1, (3,)), RuntimeError, "normal expects std >= 0.0, but found std -1"),
        (
            lambda g: g.normal(np.zeros(2), -np.ones(2)),
            RuntimeError,
            "normal expects all elements of std >= 0.0",
        ),
        (lambda g: g.bernoulli(1.5, (3,)), RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=1.5"),
        (lambda g: g.exponential(0, (3,)), RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=0"),
        (lambda g: g.geometric(1.0, (3,)), RuntimeError, "geometric_ expects p to be in (0, 1), but got p=1"),
        (
            lambda g: g.multinomial(np.array([1.0, 2.0]), 3),
            RuntimeError,
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        ),
        (
            lambda g: g.multinomial(np.array([0.0, 0.0]), 1),
            RuntimeError,
            "invalid multinomial distribution (sum of probabilities <= 0)",
        ),
        (
            lambda g: g.set_state(np.zeros(5, np.uint8)),
            RuntimeError,
            "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5",
        ),
        (lambda g: g.set_state(np.zeros(5056, np.uint8)), RuntimeError, "Invalid mt19937 state"),
        (lambda g: g.set_state(np.zeros(5056)), TypeError, "RNG state must be a torch.ByteTensor"),
    ],
)
def test_errors_are_pytorchs(call: Callable[[Generator], Any], error: type[Exception], text: str) -> None:
    """A refused call says what PyTorch says, and draws nothing."""
    generator = Generator().manual_seed(0)
    before = generator.get_state().numpy()
    with pytest.raises(error) as caught:
        call(generator)
    assert str(caught.value) == text
    assert np.array_equal(generator.get_state().numpy(), before)


@pytest.mark.torch
def test_records_are_pytorchs_numbers() -> None:
    """The recorded numbers and states are real PyTorch's, and a state of either side continues on the other."""
    torch = pytest.importorskip("torch")

    def tensor(given: Any) -> Any:
        if not isinstance(given, dict):
            return tuple(given) if isinstance(given, list) else given
        raw = array(given).copy()
        return (
            torch.from_numpy(raw.view(np.int16)).view(torch.bfloat16)
            if given["dtype"] == "bfloat16"
            else torch.from_numpy(raw)
        )

    for sequence in SEQUENCES:
        torch.manual_seed(sequence["seed"])
        for call in sequence["calls"]:
            args = [tensor(given) for given in call["args"]]
            result = eval(call["pytorch"], {"torch": torch, "args": args})
            raw = result.view(torch.int16) if result.dtype == torch.bfloat16 else result
            assert raw.numpy().tobytes().hex() == call["result"]["hex"], call["pytorch"]
        state = torch.get_rng_state()
        assert hashlib.sha256(state.numpy().tobytes()).hexdigest() == sequence["state"]
        ours = Generator()
        ours.set_state(state.numpy())
        assert ours.rand((9,)).tolist() == torch.rand(9).tolist()
        torch.set_rng_state(torch.from_numpy(ours.get_state().numpy()))
        assert ours.randint(0, 1000, (9,)).tolist() == torch.randint(0, 1000, (9,)).tolist()
