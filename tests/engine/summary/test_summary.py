"""Values that share memory have the summaries that each of them has alone."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from backscope.protocol.event_parts import Summary
from backscope.summary.summary import Held, NormOnly, capture, captured, summarize
from backscope.summary.summary_batch import texts

strided = np.lib.stride_tricks.as_strided


def held(array: Any) -> Held:
    """An array that is held."""
    made = Held()
    made.array, made.change, made.keeps = array, None, array.nbytes
    return made


def views(whole: Any) -> list[Any]:
    """Views of the same memory: all of it in other shapes and orders, a part, and some of it more than once."""
    step = whole.itemsize
    cube = whole.reshape(8, 16, -1)
    return [
        whole, whole.reshape(128, -1), cube, whole.T, cube.transpose(2, 0, 1), cube.transpose(0, 2, 1), whole[::-1],
        whole[:, :100], whole.reshape(-1)[1:], np.broadcast_to(whole, (2, *whole.shape)),
        strided(whole, whole.shape, (step, step)), strided(whole, (whole.size - 1, 2), (step, step)), whole.copy(),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int64", "complex64"])
@pytest.mark.parametrize("odd", [None, np.nan, np.inf])
def test_views_of_one_memory(kind: str, odd: float | None) -> None:
    """In whichever order they come."""
    whole = np.random.default_rng(0).standard_normal((64, 128)).astype(kind)
    if odd is not None:
        if kind == "int64":
            whole[0] = 2**40  # The square of its norm is beyond what 64 bits hold.
        else:
            whole[40, 3] = odd
    every = views(whole)
    if kind == "float32":
        every += [whole.view(np.int32), whole.view(np.complex64)]
    alone = [msgspec.json.encode(summarize(capture(v))) for v in every]
    for order in (slice(None), slice(None, None, -1), slice(3, None)):
        together = captured([held(v) for v in every[order]])
        assert [msgspec.json.encode(summarize(v)) for v in together] == alone[order]


def test_memory_that_comes_again() -> None:
    """Arrays that die while others are captured leave no trace, though those after them lie where they lay."""
    waiting = [held(np.full(5000, float(n))) for n in range(20)]
    norms = [v.norm for v in captured(waiting)]
    assert norms == [float(np.linalg.norm(np.full(5000, float(n)))) for n in range(20)]
    again = captured([held(np.full(5000, float(n))) for n in range(20)])
    assert [v.norm for v in again] == norms


@pytest.mark.parametrize("size", [1.0, 1e-14, 1e-16, 1e-20, 1e-30, 1e-38, 1e-42, 0.0])
def test_the_norm_of_tiny_numbers(size: float) -> None:
    """Numbers whose squares float32 does not have, have a norm nonetheless."""
    value = np.full(5000, size, np.float32)
    expected = float(np.linalg.norm(value.astype(np.float64)))
    assert float(summarize(capture(value)).norm) == pytest.approx(expected, rel=1e-5, abs=0)


@pytest.mark.parametrize("odd", [None, np.nan, -np.inf])
@pytest.mark.parametrize("shape", [(), (1,), (7, 3)])
def test_norms_alone_are_those_of_digests(odd: float | None, shape: tuple[int, ...]) -> None:
    """Worked out with others or alone, such a value has its norm and its counts, and no elements."""
    value = (np.arange(21, dtype=np.float32)[: int(np.prod(shape))] + 1).reshape(shape)
    if odd is not None:
        value[...] = odd
    made = value.view(NormOnly)
    [text] = texts([made])
    found = msgspec.json.decode(text, type=Summary)
    alone = summarize(made)
    assert found.values == alone.values == []
    assert (found.shape, found.strides, found.nan_count, found.inf_count) == (
        list(shape), alone.strides, value.size if odd is np.nan else 0, value.size if odd == -np.inf else 0,
    )  # fmt: skip
    assert str(found.norm) == str(alone.norm) or float(found.norm) == pytest.approx(float(alone.norm))
