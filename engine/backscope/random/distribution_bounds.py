"""Checks of the parameters of random functions, with PyTorch's errors."""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from backscope.runtime.given import Dtype
from backscope.tensor.dtype import COMPLEX, FLOATING, dtype

_C_NAMES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
}


def of_numpy(kind: Dtype) -> dtype:
    """The torch dtype of a numpy dtype."""
    return dtype.table[np.dtype(kind)]


def _finfo(kind: dtype) -> Any:
    return ml_dtypes.finfo(kind.np)  # type: ignore[no-untyped-call,unused-ignore]


@cache
def limits(kind: dtype) -> tuple[float, float]:
    """The smallest and the largest finite number of a dtype."""
    if kind.name == "bool":
        return 0, 1
    if kind.category == FLOATING:
        info = _finfo(kind)
        return float(info.min), float(info.max)
    whole = np.iinfo(kind.np)
    return int(whole.min), int(whole.max)


def smallest_normal(kind: Dtype) -> float:
    """The smallest positive normal number of a numpy dtype, as one of it."""
    return np.dtype(kind).type(_finfo(of_numpy(kind)).tiny)


def check_integers(low: int, high: int, kind: dtype) -> None:
    """Raise RuntimeError unless every whole number in [low, high) fits the dtype."""
    if kind.category == COMPLEX:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    least, most = limits(kind)
    for name, number in (("from", low), ("to - 1", high - 1)):
        if not least <= number <= most:
            raise RuntimeError(f"{name} is out of bounds for {_C_NAMES[kind.name]}")


def check_uniform(low: float, high: float, kind: dtype) -> None:
    """Raise unless `low <= high`, both fit the dtype, and so does their distance."""
    if kind.category != FLOATING:
        raise NotImplementedError(f"\"check_uniform_bounds\" not implemented for '{kind.type_name}'")
    least, most = limits(kind)
    for name, number in (("from", low), ("to", high)):
        if not least <= number <= most:
            raise RuntimeError(f"{name} is out of bounds for {_C_NAMES[kind.name]}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > most:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{kind.type_name}>::max(), but found to={high:g} and "
            f"from={low:g} which result in to-from to exceed the limit"
        )


def check_normal(std: float, kind: dtype) -> None:
    """Raise for a negative deviation or a dtype without fractions."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if kind.category < FLOATING:
        raise NotImplementedError(f"\"normal_kernel_cpu\" not implemented for '{kind.type_name}'")


def check_continuous(name: str, kind: dtype) -> None:
    """Raise for a dtype that cannot hold the numbers of a continuous distribution."""
    if kind.category == FLOATING:
        return
    title = {"exponential": "Exponential", "cauchy": "Cauchy"}.get(name)
    if title is None:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind.type_name}'")
    given = kind.type_name
    if name == "cauchy":
        given = {"int64": "long int", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}.get(
            kind.name, _C_NAMES.get(kind.name, given)
        )
    raise RuntimeError(
        f"{title} distribution is a continuous probability distribution. dtype must be a floating point but you "
        f"specified {given}"
    )


def check_whole(n: int, kind: dtype) -> None:
    """Raise unless the dtype represents all whole numbers below n."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if kind.name == "bool" or kind.category == COMPLEX:
        raise NotImplementedError(f"\"randperm\" not implemented for '{kind.type_name}'")
    if kind.category == FLOATING:
        exact = 2 ** (_finfo(kind).nmant + 1) + 1
        if n > exact:
            raise RuntimeError(f"n cannot be greater than {exact} for {kind.type_name} type.")
    elif n > limits(kind)[1]:
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow")


def check_categories(weights: NDArray[Any], num_samples: int, replacement: bool) -> None:
    """Raise unless `num_samples` categories can be drawn by weights of shape [categories] or [rows, categories]."""
    kind = of_numpy(weights.dtype)
    if kind.category != FLOATING:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {kind.type_name}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    categories = weights.shape[-1]
    if not replacement and num_samples > categories:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if categories > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if weights.size == 0:
        return
    by_race = not replacement or num_samples == 1
    if by_race and not (np.all(weights >= 0) and np.all(weights < np.inf)):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not np.all(weights >= 0):
        raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
    if np.any(np.isinf(weights)):
        raise RuntimeError("invalid multinomial distribution (encountering probability entry = infinity or NaN)")
    if np.any(weights.astype(np.float64).sum(axis=-1) == 0):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
