"""`out=`: what is resized, warned of and refused, in which order, and what expanded tensors get, as PyTorch does it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

CAST = "Casting complex values to real discards the imaginary part"


def _warned(torch: Any, call: Callable[[], Any]) -> list[str]:
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
    finally:
        torch.set_warn_always(False)
    return [str(w.message).partition(" (Triggered")[0][:90] for w in caught]


@pytest.mark.parametrize(
    ("name", "dim", "wanted"),
    [("sum", 0, 22.0), ("sum", 1, 22.0), ("prod", 0, 840.0), ("prod", 1, 840.0), ("amax", 0, 7.0), ("amin", 1, 1.0)],
)
def test_reductions_reduce_what_out_is_expanded_along(ours: Any, name: str, dim: int, wanted: float) -> None:
    """The loop that reduces takes a dim without a stride for one to reduce."""
    out = ours.zeros(1).expand(3 - dim)
    getattr(ours, name)(ours.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]), dim, out=out)
    assert out.tolist() == [wanted] * (3 - dim)


def test_products_leave_their_last_element_in_shared_memory(ours: Any) -> None:
    """A product with a vector writes elements in order; one of matrices refuses."""
    a, out = ours.tensor([[1.0, 2.0], [4.0, 5.0]]), ours.zeros(1).expand(2)
    ours.matmul(a, a[0], out=out)
    assert out.tolist() == [14.0, 14.0]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        ours.matmul(a, a, out=ours.zeros(1).expand(2, 2))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        ours.exp(a, out=ours.zeros(1).expand(2))


def test_tangents_are_refused_when_out_is_written(ours: Any) -> None:
    """The values are there when the error is raised."""
    x, out = ours.tensor([[1.0, 2.0], [3.0, 4.0]]), ours.zeros(0)
    with ours.autograd.forward_ad.dual_level():
        dual = ours.autograd.forward_ad.make_dual(x, ours.ones_like(x))
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with cumsum_out"):
            ours.cumsum(dual, 0, out=out)
        assert ours.autograd.forward_ad.unpack_dual(out).tangent is None
    assert out.tolist() == [[1.0, 2.0], [4.0, 6.0]]


def test_out_is_resized_before_numbers_are_cast(ours: Any) -> None:
    """The warnings come in this order, and none of numbers where there are none."""
    z = ours.tensor([[1 + 2j, 3j], [2 + 0j, 1 - 1j]])
    out = ours.ones(5)
    resized = (
        "An output with one or more elements was resized since it had shape [5], which does not match the required"[:90]
    )
    assert _warned(ours, lambda: ours.sum(z, 0, out=out)) == [resized, CAST]
    assert out.tolist() == [3.0, 1.0]
    assert _warned(ours, lambda: ours.sum(z[:0], 0, out=ours.zeros(2))) == []
    assert _warned(ours, lambda: ours.eq(z, z, out=ours.zeros(2, 2))) == [CAST]
    assert _warned(ours, lambda: ours.eq(z, z, out=ours.zeros(2, 2, dtype=ours.bool))) == []


def test_mean_looks_at_what_it_is_given(ours: Any) -> None:
    """A tensor of floats as `out` makes no mean of whole numbers."""
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype. Input dtype must be .* Got: Long"):
        ours.mean(ours.tensor([[1, 2]]), 0, out=ours.zeros(2))


def test_cumulative_sums_give_bools_their_shape(ours: Any) -> None:
    """There is no kernel for bool, which is noticed when there is an element to write."""
    out = ours.zeros(0, dtype=ours.bool)
    with pytest.raises(NotImplementedError, match="\"cumsum_out_cpu\" not implemented for 'Bool'"):
        ours.cumsum(ours.ones(2, 3), 0, out=out)
    assert out.shape == (2, 3)
    assert ours.cumprod(ours.ones(0, 3), 0, out=ours.zeros(0, dtype=ours.bool)).shape == (0, 3)


def test_absolute_values_of_complex_numbers(ours: Any) -> None:
    """They go into any real floating type, or into the complex type that was given."""
    z = ours.tensor([3 + 4j, 1j])
    assert ours.abs(z, out=ours.zeros(2, dtype=ours.float64)).tolist() == [5.0, 1.0]
    assert ours.abs(z, out=ours.zeros(2, dtype=ours.complex64)).tolist() == [5 + 0j, 1 + 0j]
    with pytest.raises(RuntimeError, match="Found dtype ComplexDouble but expected ComplexFloat"):
        ours.abs(z, out=ours.zeros(2, dtype=ours.complex128))
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        ours.abs(z, out=ours.zeros(2, dtype=ours.int64))


def test_further_types_that_out_may_have(ours: Any) -> None:
    """`all` of bytes goes into bools; logsumexp of complex numbers into real ones."""
    assert ours.all(ours.ones(2, 2, dtype=ours.uint8), 0, out=ours.zeros(2, dtype=ours.bool)).tolist() == [True, True]
    out, z = ours.ones(1), ours.zeros(1, 1, dtype=ours.complex64)
    assert _warned(ours, lambda: ours.logsumexp(z, 0, out=out)) == [CAST]
    assert out.tolist() == [0.0]
