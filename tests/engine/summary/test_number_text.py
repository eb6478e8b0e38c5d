"""The JSON of many numbers at once has the digits that str() gives them one by one."""

from __future__ import annotations

import json
import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from backscope.summary.number_text import number_text, number_texts, row_texts

_BITS = np.random.default_rng(0).integers(0, 2**32, 20_000).astype(np.uint32).view(np.float32)
_SINGLE = {
    "any bits": _BITS[np.isfinite(_BITS)],
    "ordinary": np.random.default_rng(1).standard_normal(20_000).astype(np.float32),
    "few digits": (np.arange(20_000) / 1000).astype(np.float32),
    "halves of integers": (np.random.default_rng(2).integers(0, 2**26, 20_000) / 4).astype(np.float32),
    "powers of two": np.float32(2) ** np.arange(-149, 128).astype(np.float32),
    "powers of ten": np.array([10.0**k for k in range(-38, 39)], np.float32),
    "below powers of ten": np.nextafter(np.array([10.0**k for k in range(-37, 39)], np.float32), np.float32(0)),
    "subnormal": (np.arange(20_000) * np.float32(2**-149)).astype(np.float32),
    "zeros": np.array([0.0, -0.0], np.float32),
}


def check(values: np.ndarray[Any, Any], shown: list[str]) -> None:
    """Compare what a reader of JSON gets with numbers as they are shown, to the bit, the sign of zero included."""
    found = json.loads(number_text(values))
    assert np.array(found).tobytes() == np.array([float(text) for text in shown]).tobytes()


@pytest.fixture(params=["orjson", "numpy"])
def writer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have numbers written by orjson, or without it, as in an installation of the engine alone."""
    if request.param == "numpy":
        monkeypatch.setattr("backscope.summary.number_text._HAS_ORJSON", False)


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize("name", _SINGLE)
def test_float32(name: str) -> None:
    """Every size and kind of number, subnormal ones among them."""
    check(_SINGLE[name], [str(v) for v in _SINGLE[name]])


def test_float64() -> None:
    """A double is its own shortest decimal."""
    bits = np.random.default_rng(0).integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    values = np.concatenate([bits[np.isfinite(bits)], [0.1, 1 / 3, 5e-324, 1e16, 1e22, 1.7976931348623157e308]])
    check(values, [repr(float(v)) for v in values])


def test_every_float16() -> None:
    every = np.arange(2**16).astype(np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    check(finite, [str(v) for v in finite])
    assert json.loads(number_text(finite.reshape(2, -1)))[1][0] == float(str(finite.reshape(2, -1)[1, 0]))


@pytest.mark.parametrize("kind", [ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_small_types_have_all_their_digits(kind: Any) -> None:
    assert json.loads(number_text(np.array([0.1, 3.0]).astype(kind))) == [float(kind(0.1)), 3.0]


def test_whole_numbers_are_written_as_such() -> None:
    assert number_text(np.array([-1, 2**63 - 1])) == b"[-1,9223372036854775807]"
    assert number_text(np.array([True, False])) == b"[1,0]"


def test_exponents_have_no_plus() -> None:
    """As everywhere else in an event."""
    assert not re.search(rb"e\+", number_text(np.array([1e16, 1e300])))


def test_parts() -> None:
    """Single numbers and rows, of arrays with any strides."""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert number_texts(matrix[:, 1]) == [b"1.0", b"4.0"]
    assert row_texts(matrix.T) == [b"0.0,3.0", b"1.0,4.0", b"2.0,5.0"]
    assert number_texts(np.zeros(0, np.float32)) == [b""]
