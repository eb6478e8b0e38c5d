"""Shortest decimals of many numbers at once are those that str() gives one by one."""

from __future__ import annotations

import numpy as np
import pytest

from backscope.summary.shortest_decimal import decimals

_BITS = np.random.default_rng(0).integers(0, 2**32, 20_000).astype(np.uint32).view(np.float32)
_SINGLE = {
    "any bits": _BITS[np.isfinite(_BITS)],
    "ordinary": np.random.default_rng(1).standard_normal(20_000).astype(np.float32),
    "few digits": (np.arange(20_000) / 1000).astype(np.float32),
    "halves of integers": (np.random.default_rng(2).integers(0, 2**26, 20_000) / 4).astype(np.float32),
    "powers of two": np.float32(2) ** np.arange(-149, 128).astype(np.float32),
    "powers of ten": np.array([10.0**k for k in range(-38, 39)], np.float32),
    "below powers of ten": np.nextafter(np.array([10.0**k for k in range(-37, 39)], np.float32), np.float32(0)),
    "zeros": np.array([0.0, -0.0], np.float32),
    "none": np.zeros(0, np.float32),
}


def check(values: np.ndarray) -> None:
    """Compare with str() to the bit, the sign of zero included."""
    wanted = np.array([float(str(v)) for v in values.reshape(-1)]).reshape(values.shape)
    assert decimals(values).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", _SINGLE)
def test_float32(name: str) -> None:
    """Every size and kind of number, subnormal ones among them."""
    check(_SINGLE[name])


def test_float16_whole() -> None:
    """Every finite float16, as a matrix."""
    every = np.arange(2**16).astype(np.uint16).view(np.float16)
    check(every[np.isfinite(every)].reshape(2, -1))


def test_other_types_stay() -> None:
    """A double is its own shortest decimal."""
    values = np.array([0.1, 1 / 3])
    assert decimals(values).tolist() == values.tolist()
