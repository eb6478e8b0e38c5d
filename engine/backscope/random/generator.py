"""Generator: a seeded source of random arrays, in step with torch.Generator on the CPU call by call.

PyTorch's numbers depend a little on the processor. These are the ones of x86-64 with AVX2, compared on AMD. On Intel,
builds with MKL may draw `bernoulli_` of a plain number, and with it dropout, from a generator of MKL's; without AVX2,
float32 normal numbers may differ in the last bit.
"""

from __future__ import annotations

import math
import secrets
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from backscope.random import distribution_bounds, rejection_sampling
from backscope.random.box_muller import each, float32_blocks, float64_blocks, fused, pair
from backscope.random.mersenne import Mersenne
from backscope.runtime.given import Value
from backscope.tensor.device import device as Device
from backscope.tensor.dtype import COMPLEX, FLOATING, dtype

Array = NDArray[Any]
Shape = tuple[int, ...]
Real = float | Array | np.generic

# A tensor's values: 0-d ones are numpy scalars in the engine. Plain numbers are Python's.
_ARRAYS = (np.ndarray, np.generic)
_DEFAULT_SEED = 67280421310721
# From this many numbers on, normal numbers are drawn in blocks; integers below this span take one raw number each.
_BLOCK, _NARROW_SPAN = 16, 2**28


def _rounded(numbers: Array, kind: dtype) -> Array:
    """Numbers in the dtype; PyTorch goes to 16-bit floats by way of float32, with its second rounding."""
    if kind.itemsize == 2 and kind.category == FLOATING:
        numbers = numbers.astype(np.float32)
    return numbers.astype(kind.np)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


class Generator:
    """A source of random numbers on the CPU: after manual_seed(s), the numbers of torch.Generator().manual_seed(s).

    Each method that takes a shape returns a new contiguous array of it and leaves the stream where PyTorch leaves it.
    """

    __slots__ = ("_stream", "device")

    def __init__(self, device: Device | str = "cpu") -> None:
        self.device = Device(device)
        if self.device.type == "cuda":
            raise RuntimeError("Cannot get CUDA generator without ATen_cuda library.")
        self._stream = Mersenne(_DEFAULT_SEED)

    def manual_seed(self, seed: object) -> Generator:
        """Start over from a seed; negative ones count down from 2**64.

        Raises RuntimeError for anything but an int and ValueError for one that does not fit 64 bits.
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._stream.restart(int(seed) % 2**64)
        return self

    def seed(self) -> int:
        """Start over from a seed of the operating system, and return it."""
        seed = secrets.randbits(53)
        self._stream.restart(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed the stream started from."""
        return self._stream.seed

    def get_state(self) -> Value:
        """Return the state of the stream as a tensor of 5056 bytes, in PyTorch's format."""
        from backscope.tensor.tensor import of_raw

        return of_raw(self._stream.pack())

    def set_state(self, state: object) -> Generator:
        """Restore a state that `get_state` returned.

        Raises TypeError unless the state is a tensor or an array of uint8, RuntimeError unless it is one of mt19937.
        """
        values = getattr(state, "_data", state)
        if not isinstance(values, np.ndarray) or values.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        self._stream.unpack(values)
        return self

    def clone_state(self) -> Generator:
        """An independent generator at the same place of the same stream."""
        return Generator(self.device).set_state(self.get_state())

    def rand(self, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Uniform numbers in [0, 1)."""
        return self.uniform(0.0, 1.0, shape, dtype)

    def uniform(self, low: float, high: float, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Uniform numbers in [low, high); of a complex dtype, both parts are."""
        kind = distribution_bounds.of_numpy(dtype)
        if kind.category == COMPLEX:
            return self._of_parts(self.uniform(low, high, (*shape, 2), kind.real.np), kind)
        distribution_bounds.check_uniform(low, high, kind)
        count = math.prod(shape)
        if kind.name == "float64":
            numbers = fused(self._stream.real53(count), high - low, low)
        else:
            first, last = np.float32(low), np.float32(high)
            unit = self._stream.real24(count).astype(np.float64)
            numbers = (unit * np.float64(last - first) + np.float64(first)).astype(np.float32)
        out = _rounded(numbers, kind)
        # Rounding may reach the upper end, which is excluded; PyTorch then returns the lower one.
        start, end = (_rounded(np.array([x]), kind) for x in (low, high))
        return np.where(out == end, start, out).reshape(shape)

    def randn(self, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Standard normal numbers; of a complex dtype, with unit variance over both parts together."""
        return self.normal(0.0, 1.0, shape, dtype)

    def normal(
        self,
        mean: Real,
        std: Real,
        shape: Shape | None = None,
        dtype: DTypeLike | None = None,
        *,
        contiguous: bool = True,
    ) -> Array:
        """Normal numbers of a mean and a standard deviation, either of them a number or an array per element.

        Shape: `shape` where both are numbers, else the shape both broadcast to; `dtype` then defaults to the array's.
        `contiguous=False` draws as PyTorch does into a tensor that is not contiguous: one by one, whatever its size.
        """
        if isinstance(mean, _ARRAYS) or isinstance(std, _ARRAYS):
            return self._normal_around(mean, std, dtype)
        kind = distribution_bounds.of_numpy(np.float32 if dtype is None else dtype)
        distribution_bounds.check_normal(std, kind)
        shape = () if shape is None else shape
        if kind.category == COMPLEX:
            parts = self.normal(mean, std / math.sqrt(2), (*shape, 2), kind.real.np, contiguous=contiguous)
            return self._of_parts(parts, kind)
        count = math.prod(shape)
        if count < _BLOCK or not contiguous:
            return _rounded(fused(self._single_normals(count), std, mean), kind).reshape(shape)
        cut = count % _BLOCK
        uniform = self._uniform(count if kind.itemsize > 2 else count - cut, kind)
        if cut:
            # PyTorch draws the last block afresh rather than one cut short, so it replaces numbers of the block before.
            whole = uniform[: count - cut]
            uniform = np.concatenate([whole, self._uniform(_BLOCK, kind)])
        out = float64_blocks(uniform, mean, std) if kind.name == "float64" else float32_blocks(uniform, mean, std)
        if cut:
            out = np.concatenate([out[: count - _BLOCK], out[-_BLOCK:]])
        return _rounded(out, kind).reshape(shape)

    def _uniform(self, count: int, kind: dtype) -> Array:
        return self._stream.real53(count) if kind.name == "float64" else self._stream.real24(count)

    def _normal_around(self, mean: Real, std: Real, dtype: DTypeLike | None) -> Array:
        given = np.asarray(mean if isinstance(mean, _ARRAYS) else std)
        kind = distribution_bounds.of_numpy(given.dtype if dtype is None else dtype)
        if isinstance(std, _ARRAYS) and np.any(np.asarray(std) < 0):
            raise RuntimeError("normal expects all elements of std >= 0.0")
        shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
        if not isinstance(std, _ARRAYS):
            return np.asarray(self.normal(0.0, std, shape, kind.np) + np.asarray(mean), dtype=kind.np)
        scaled = np.asarray(self.normal(0.0, 1.0, shape, kind.np) * np.asarray(std), dtype=kind.np)
        offset = np.asarray(mean) if isinstance(mean, _ARRAYS) else kind.scalar(mean)
        return np.asarray(scaled + offset, dtype=kind.np)

    def _single_normals(self, count: int) -> NDArray[np.float64]:
        """Standard normal numbers made two at a time; a second one left over waits for the next call."""
        stream = self._stream
        numbers = [] if stream.kept_normal is None or not count else [stream.kept_normal]
        uniform = stream.real53((count - len(numbers) + 1) // 2 * 2).tolist()
        if count:
            stream.kept_normal = None
        for u1, u2 in zip(uniform[0::2], uniform[1::2], strict=True):
            numbers.extend(pair(u1, u2))
        if len(numbers) > count:
            stream.kept_normal = numbers.pop()
        return np.array(numbers, dtype=np.float64)

    @staticmethod
    def _of_parts(parts: Array, kind: dtype) -> Array:
        return np.ascontiguousarray(parts).view(kind.np).reshape(parts.shape[:-1])

    def randint(self, low: int, high: int, shape: Shape, dtype: DTypeLike = np.int64) -> Array:
        """Whole numbers in [low, high)."""
        kind = distribution_bounds.of_numpy(dtype)
        distribution_bounds.check_integers(low, high, kind)
        span, count = high - low, math.prod(shape)
        raw = self._stream.raw32(count) if span < _NARROW_SPAN else self._stream.raw64(count)
        if span < 2**64:
            raw = raw % np.uint64(span)
        # The sum wraps around as PyTorch's does, so spans beyond the int64 range work.
        numbers = (raw + np.uint64(low % 2**64)).view(np.uint64 if kind.name == "uint64" else np.int64)
        return _rounded(numbers, kind).reshape(shape)

    def random(self, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Whole numbers from 0 to the largest of an integer dtype, or to the last exact one of a floating dtype."""
        kind = distribution_bounds.of_numpy(dtype)
        if kind.category == COMPLEX:
            raise NotImplementedError(f"\"random_kernel_cpu\" not implemented for '{kind.type_name}'")
        count = math.prod(shape)
        raw = self._stream.raw64(count) if kind.name in ("int64", "float64") else self._stream.raw32(count)
        if kind.category == FLOATING:
            exact = {"float64": 2**53, "float32": 2**24, "float16": 2**11, "bfloat16": 2**8}[kind.name]
            return _rounded(raw % np.uint64(exact + 1), kind).reshape(shape)
        most = int(distribution_bounds.limits(kind)[1])
        return (raw % np.uint64(most + 1)).astype(kind.np).reshape(shape)

    def randperm(self, n: int, dtype: DTypeLike = np.int64) -> Array:
        """The numbers below n in random order."""
        kind = distribution_bounds.of_numpy(dtype)
        distribution_bounds.check_whole(n, kind)
        draws = max(n - 1, 0)
        steps = self._stream.raw32(draws) % np.arange(n, n - draws, -1, dtype=np.uint64)
        order = list(range(n))
        for i, step in enumerate(steps.tolist()):
            j = i + step
            order[i], order[j] = order[j], order[i]
        return np.array(order, dtype=np.int64).astype(kind.np)

    def bernoulli(self, p: Real, shape: Shape | None = None, dtype: DTypeLike = np.float32) -> Array:
        """1 with probability p, else 0.

        Shape: `shape`, or that of `p` where it is an array. As in PyTorch, an array takes one raw number per element
        unless it is of float64; a plain number takes two.
        """
        kind = distribution_bounds.of_numpy(dtype)
        if not isinstance(p, _ARRAYS):
            if not 0 <= p <= 1:
                raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
            if kind.category == COMPLEX:
                raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{kind.type_name}'")
            shape = () if shape is None else shape
            return (self._stream.real53(math.prod(shape)) < p).astype(kind.np).reshape(shape)
        given = np.asarray(p)
        chances = np.broadcast_to(given, given.shape if shape is None else shape)
        if not np.all((chances >= 0) & (chances <= 1)):
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  "
                "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        if given.dtype == np.float64:
            return (self._stream.real53(chances.size) < chances.ravel()).astype(kind.np).reshape(chances.shape)
        uniform = self._stream.real24(chances.size)
        return (uniform < chances.ravel().astype(np.float32)).astype(kind.np).reshape(chances.shape)

    def exponential(self, rate: float, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Waiting times of events that come at a rate."""
        kind = distribution_bounds.of_numpy(dtype)
        distribution_bounds.check_continuous("exponential", kind)
        if not rate > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        uniform = self._stream.real53(math.prod(shape))
        return _rounded(-1.0 / rate * each(math.log1p, -uniform), kind).reshape(shape)

    def log_normal(self, mean: float, std: float, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Numbers with a normal logarithm."""
        kind = distribution_bounds.of_numpy(dtype)
        if not std > 0:
            raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
        distribution_bounds.check_continuous("log_normal", kind)
        normal = fused(self._single_normals(math.prod(shape)), std, mean)
        return _rounded(each(_exp, normal), kind).reshape(shape)

    def cauchy(self, median: float, sigma: float, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Numbers of the Cauchy distribution."""
        kind = distribution_bounds.of_numpy(dtype)
        distribution_bounds.check_continuous("cauchy", kind)
        if not sigma > 0:
            raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
        uniform = self._stream.real53(math.prod(shape))
        return _rounded(fused(each(math.tan, math.pi * (uniform - 0.5)), sigma, median), kind).reshape(shape)

    def geometric(self, p: float, shape: Shape, dtype: DTypeLike = np.float32) -> Array:
        """Return the numbers of trials of chance p up to and with the first success."""
        kind = distribution_bounds.of_numpy(dtype)
        if not 0 < p < 1:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
        if kind.name == "bool" or kind.category == COMPLEX:
            raise NotImplementedError(f"\"geometric_cpu\" not implemented for '{kind.type_name}'")
        uniform = self._stream.real53(math.prod(shape))
        return _rounded(np.ceil(np.log(uniform) / math.log1p(-p)), kind).reshape(shape)

    def poisson(self, rates: Array) -> Array:
        """Counts of events by their mean numbers, in the dtype of `rates`."""
        flat = rates.reshape(-1).astype(np.float64)
        return np.array([self._poisson(r) for r in flat.tolist()]).astype(rates.dtype).reshape(rates.shape)

    def _poisson(self, rate: float) -> int:
        if rate >= 10:
            return self._large_poisson(rate)
        if rate == 0:
            return 0
        least, count, product = math.exp(-rate), 0, 1.0
        while True:
            product *= float(self.rand((1,), np.float64)[0])
            if product <= least:
                return count
            count += 1

    def _large_poisson(self, rate: float) -> int:
        """Hoermann's transformed rejection."""
        spread = math.sqrt(rate)
        b = 0.931 + 2.53 * spread
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        quick = 0.9277 - 3.6224 / (b - 2)
        while True:
            u = float(self.rand((1,), np.float64)[0]) - 0.5
            v = float(self.rand((1,), np.float64)[0])
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + rate + 0.43)
            if us >= 0.07 and v <= quick:
                return k
            if k < 0 or (us < 0.013 and v > us):
                continue
            weight = math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
            if weight <= -rate + k * math.log(rate) - math.lgamma(k + 1):
                return k

    def standard_gamma(self, shapes: Array) -> Array:
        """Numbers of gamma distributions of rate 1, in the dtype of their shape parameters."""
        kind = shapes.dtype.type
        least = float(distribution_bounds.smallest_normal(shapes.dtype))
        drawn = [
            max(least, rejection_sampling.gamma(s, self._one_uniform, self._one_normal)) for s in shapes.reshape(-1)
        ]
        return np.array(drawn, dtype=np.float64).astype(kind).reshape(shapes.shape)

    def dirichlet(self, shapes: Array) -> Array:
        """Points of simplexes over the last axis, in the dtype of their shape parameters."""
        gammas = self.standard_gamma(shapes.astype(np.float64))
        parts = (gammas / gammas.sum(-1, keepdims=True)).astype(shapes.dtype)
        one, zero = shapes.dtype.type(1), shapes.dtype.type(0)
        return np.asarray(np.clip(parts, distribution_bounds.smallest_normal(shapes.dtype), np.nextafter(one, zero)))

    def binomial(self, counts: Array, chances: Array) -> Array:
        """Draw the numbers of successes in `counts` trials of probability `chances`, in the dtype of `counts`."""
        pairs = zip(counts.ravel().tolist(), chances.ravel().tolist(), strict=True)
        drawn = [rejection_sampling.binomial(count, chance, self._one_uniform) for count, chance in pairs]
        return np.array(drawn, dtype=counts.dtype).reshape(counts.shape)

    def _one_uniform(self) -> float:
        return float(self._stream.real53(1)[0])

    def _one_normal(self) -> float:
        return float(self._single_normals(1)[0])

    def multinomial(self, weights: Array, num_samples: int, replacement: bool = False) -> NDArray[np.int64]:
        """Categories drawn by weight.

        Shape: weights [categories] or [rows, categories] -> [num_samples] or [rows, num_samples].
        """
        distribution_bounds.check_categories(weights, num_samples, replacement)
        if not weights.size:
            return np.empty((*weights.shape[:-1], num_samples), dtype=np.int64)
        if not replacement or num_samples == 1:
            return self._race(weights, num_samples)
        rows = np.atleast_2d(weights)
        wide = rows.astype(np.float64 if weights.dtype == np.float64 else np.float32)
        reached = np.cumsum(wide, axis=1, dtype=wide.dtype)
        reached = (reached / reached[:, -1:]).astype(np.float64)
        reached[:, -1] = 1
        uniform = self._stream.real53(len(rows) * num_samples).reshape(len(rows), num_samples)
        drawn = np.stack([np.searchsorted(ends, u) for ends, u in zip(reached, uniform, strict=True)])
        return drawn.astype(np.int64).reshape(*weights.shape[:-1], num_samples)

    def _race(self, weights: Array, num_samples: int) -> NDArray[np.int64]:
        """Draw categories by exponential waiting times with their weights; the shortest times are chosen."""
        kind = distribution_bounds.of_numpy(weights.dtype)
        times = self.exponential(1.0, weights.shape, kind.np)
        with np.errstate(divide="ignore", invalid="ignore"):
            speed = _rounded(weights.astype(np.float64) / times.astype(np.float64), kind)
        first = np.argsort(-speed.astype(np.float64), axis=-1, kind="stable")[..., :num_samples]
        return np.ascontiguousarray(first, dtype=np.int64)


default_generator = Generator()


Generator.__module__ = "torch._C"
