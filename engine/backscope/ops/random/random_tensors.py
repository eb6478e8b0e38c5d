"""Tensors of random numbers, and the seed of the default generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from backscope.autograd.transforms.level import levels
from backscope.func.randomness import drawn
from backscope.ops.core.arguments.dims import sizes
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.create.creation import born
from backscope.ops.create.shapes import check_shape
from backscope.random import Generator, default_generator
from backscope.runtime.given import Device, Dtype, MemoryFormat, Option, Shape, Value
from backscope.tensor import dtype as types
from backscope.tensor.dtype import default
from backscope.tensor.sparse_values import NotImplementedForSparse, Sparse
from backscope.tensor.strides import order_of_dims
from backscope.tensor.tensor import Tensor


@export(method=False)
def manual_seed(seed: int) -> Generator:
    """Seed the default generator; the numbers that follow are PyTorch's."""
    return default_generator.manual_seed(int(seed))


@export(method=False)
def seed() -> int:
    """Seed the default generator at random; return the seed."""
    return int(default_generator.seed())


@export(method=False)
def initial_seed() -> int:
    """The seed of the default generator."""
    return int(default_generator.initial_seed())


@export(method=False)
def get_rng_state() -> Value:
    """Return the state of the default generator as a tensor of bytes."""
    return default_generator.get_state()


@export(method=False)
def set_rng_state(new_state: Value) -> None:
    """Restore the state that get_rng_state() returned."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Device = None, enabled: bool = True, **unused: object) -> Iterator[None]:
    """Restore the state of the default generator after the block."""
    before = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(before)


def _random(name: str, draw: Callable[[Generator, Any, Any], Any]) -> None:
    def create(
        *size: Any,
        generator: Option = None,
        dtype: Dtype = None,
        device: Device = None,
        requires_grad: bool = False,
        out: Value = None,
    ) -> Any:
        if not size:
            raise TypeError(f"{name}(): no size")
        kind = dtype or default.floating
        shape = sizes(size)
        check_shape(shape)

        def make(shape: Shape) -> Any:
            return born(draw(generator or default_generator, shape, kind.np), kind, name, requires_grad, device)

        return drawn(make, shape) if levels else make(shape)

    def like(
        input: Tensor,  # noqa: A002
        *,
        dtype: Dtype = None,
        device: Device = None,
        requires_grad: bool = False,
        generator: Option = None,
        memory_format: MemoryFormat = None,
    ) -> Any:
        kind = dtype or input._dtype
        device = input.device if device is None else device
        if isinstance(input._data, Sparse):
            raise NotImplementedForSparse

        def make(shape: Shape) -> Any:
            data = draw(generator or default_generator, shape, kind.np)
            return born(data, kind, name + "_like", requires_grad, device)

        def make_in_layout(shape: Shape) -> Any:
            order = order_of_dims(shape, [input._data.strides])[::-1] if shape else []
            data = draw(generator or default_generator, tuple([shape[d] for d in order]), kind.np)
            data = data.transpose(np.argsort(order)) if shape else data
            return born(data, kind, name + "_like", requires_grad, device)

        shape = tuple(input._data.shape)
        return drawn(make, shape) if levels else make_in_layout(shape)

    create.__name__, create.__doc__ = name, f"Random numbers as torch.{name} draws them."
    like.__name__, like.__doc__ = (
        name + "_like",
        f"Random numbers as torch.{name} draws them, in the shape of another tensor.",
    )
    export(name, method=False)(create)
    export(name + "_like", method=False)(like)


_random("rand", lambda g, shape, kind: g.rand(shape, kind) if shape else g.rand(shape, kind)[()])
_random("randn", lambda g, shape, kind: g.randn(shape, kind) if shape else g.randn(shape, kind)[()])


@export(method=False)
def randint(
    low: int,
    high: Value = None,
    size: Shape = None,
    *,
    generator: Option = None,
    dtype: Dtype = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Value:
    """Random integers from low to high, without it."""
    if not hasattr(high, "__index__") and size is None:
        low, high, size = 0, low, high
    low, high = int(low), int(high)
    kind = dtype or types.int64

    def make(shape: Shape) -> Any:
        data = (generator or default_generator).randint(low, high, shape, kind.np)
        return born(data, kind, "randint", requires_grad, device)

    return drawn(make, sizes((size,))) if levels else make(sizes((size,)))


@export(method=False)
def randint_like(
    input: Tensor,  # noqa: A002
    low: Value = 0,
    high: Value = None,
    *,
    dtype: Dtype = None,
    memory_format: MemoryFormat = None,
    **options: Option,
) -> Value:
    """Random integers from low to high, without it, in the shape and dtype of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, tuple(input._data.shape), dtype=dtype or input._dtype, **options)


@export(method=False)
def randperm(
    n: int, *, generator: Option = None, dtype: Dtype = None, device: Device = None, requires_grad: bool = False
) -> Value:
    """The integers below n in random order."""
    kind = dtype or types.int64

    def make(shape: Shape) -> Any:
        if not shape:
            return born((generator or default_generator).randperm(n, kind.np), kind, "randperm", requires_grad)
        return torch_functions["stack"]([make(shape[1:]) for _ in range(shape[0])])

    return drawn(make, ()) if levels else make(())
