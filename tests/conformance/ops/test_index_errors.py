"""Calls of functions with indices or masks that do not fit raise PyTorch's errors, in its order.

The arguments are drawn at random, several of them wrong in one call, so that the order of the checks counts as well.
"""

from __future__ import annotations

import importlib
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter"),
    pytest.mark.filterwarnings("ignore:index_reduce"),
    pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8"),
]

CALLS = 150
"""Calls for each function."""
KINDS = ("float32", "float64", "int64", "int32", "bool", "complex64", "float16", "uint8")
INDEX_KINDS = (*["int64"] * 8, "int32", "int32", "float32", "bool", "int16", "uint8")
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin", "add", "multiply", "bad")

# Each function has the kind of its index: one for each element, a vector of slices, parts of x[...], or a mask.
FUNCTIONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "scatter": ("elements", lambda x, c: x.scatter(c.dim, c.index, c.src)),
    "scatter_": ("elements", lambda x, c: x.scatter_(c.dim, c.index, c.src)),
    "scatter of a number": ("elements", lambda x, c: x.scatter(c.dim, c.index, c.number)),
    "scatter with a reduction": ("elements", lambda x, c: x.scatter(c.dim, c.index, c.src, reduce=c.reduce)),
    "scatter_ of a number with a reduction": (
        "elements",
        lambda x, c: x.scatter_(c.dim, c.index, c.number, reduce=c.reduce),
    ),
    "scatter_add": ("elements", lambda x, c: x.scatter_add(c.dim, c.index, c.src)),
    "scatter_reduce": (
        "elements",
        lambda x, c: x.scatter_reduce(c.dim, c.index, c.src, c.reduce, include_self=c.include_self),
    ),
    "gather": ("elements", lambda x, c: x.gather(c.dim, c.index)),
    "take_along_dim": ("elements", lambda x, c: x.take_along_dim(c.index, c.dim)),
    "take_along_dim of all elements": ("elements", lambda x, c: x.take_along_dim(c.index)),
    "index_add": ("vector", lambda x, c: x.index_add(c.dim, c.index, c.src)),
    "index_add_ with a factor": ("vector", lambda x, c: x.index_add_(c.dim, c.index, c.src, alpha=c.number)),
    "index_select": ("vector", lambda x, c: x.index_select(c.dim, c.index)),
    "index_fill": ("vector", lambda x, c: x.index_fill(c.dim, c.index, c.number)),
    "index_fill_ of a tensor": ("vector", lambda x, c: x.index_fill_(c.dim, c.index, c.value)),
    "index_copy": ("vector", lambda x, c: x.index_copy(c.dim, c.index, c.src)),
    "index_copy_": ("vector", lambda x, c: x.index_copy_(c.dim, c.index, c.src)),
    "index_reduce": (
        "vector",
        lambda x, c: x.index_reduce(c.dim, c.index, c.src, c.reduce, include_self=c.include_self),
    ),
    "index_put": ("parts", lambda x, c: x.index_put(c.parts, c.src, accumulate=c.accumulate)),
    "index_put_": ("parts", lambda x, c: x.index_put_(c.parts, c.src, accumulate=c.accumulate)),
    "x[...]": ("parts", lambda x, c: x[c.parts]),
    "x[...] = tensor": ("parts", lambda x, c: assigned(x, c.parts, c.src)),
    "x[...] = number": ("parts", lambda x, c: assigned(x, c.parts, c.number)),
    "masked_fill": ("mask", lambda x, c: x.masked_fill(c.index, c.number)),
    "masked_fill_": ("mask", lambda x, c: x.masked_fill_(c.index, c.number)),
    "masked_fill of a tensor": ("mask", lambda x, c: x.masked_fill(c.index, c.value)),
    "masked_fill_ of a tensor": ("mask", lambda x, c: x.masked_fill_(c.index, c.value)),
    "masked_scatter": ("mask", lambda x, c: x.masked_scatter(c.index, c.src)),
    "masked_scatter_": ("mask", lambda x, c: x.masked_scatter_(c.index, c.src)),
    "masked_select": ("mask", lambda x, c: x.masked_select(c.index)),
    "take": ("places", lambda x, c: x.take(c.index)),
    "put_": ("places", lambda x, c: x.put_(c.index, c.src, c.accumulate)),
}


def assigned(x: Any, parts: Any, value: Any) -> Any:
    """Return a tensor after an assignment to some of its elements."""
    x[parts] = value
    return x


class Call:
    """The arguments of a call, drawn at random; `made` gives them as tensors of a module."""

    def __init__(self, draw: random.Random, form: str) -> None:
        self.shape = self._any_shape(draw)
        self.kind = draw.choice(KINDS)
        self.src_kind = self.kind if draw.random() < 0.8 else draw.choice(KINDS)
        self.index_kind = draw.choice(INDEX_KINDS)
        rank = max(len(self.shape), 1)
        self.dim = draw.randrange(-rank, rank) if draw.random() < 0.8 else draw.choice((-4, -1, 0, 1, 3))
        self.reduce = draw.choice(REDUCTIONS)
        self.include_self = draw.random() < 0.6
        self.accumulate = draw.random() < 0.4
        self.number = draw.choice((2, 1.5, True, -1, 1e10, 2j, math.nan, 1 << 70))
        self.filled = draw.random() < 0.7
        self.tracked = draw.random() < 0.15
        self.second = form == "parts" and draw.random() < 0.4
        length = self.shape[self.dim] if -len(self.shape) <= self.dim < len(self.shape) else 1
        if form == "vector":
            count = draw.choice((0, 1, 2, 2, 3))
            self.index_shape = self._near(draw, [count])
            src = list(self.shape)
            if -len(src) <= self.dim < len(src):
                src[self.dim] = count
            self.src_shape = self._near(draw, src)
        elif form == "parts":
            length = self.shape[0] if self.shape else 1
            self.index_shape = self._near(draw, [draw.choice((0, 1, 2, 2, 3))] if draw.random() < 0.8 else self.shape)
            self.src_shape = self._near(draw, [*self.index_shape, *self.shape[1 + self.second :]])
        elif form == "mask":
            self.index_kind = "bool" if draw.random() < 0.8 else draw.choice(INDEX_KINDS)
            self.index_shape = self._near(draw, [1 if draw.random() < 0.25 else n for n in self.shape])
            self.src_shape = self._near(draw, self.shape)
        else:
            length = math.prod(self.shape) if form == "places" else length
            self.index_shape = self._near(draw, self.shape)
            self.src_shape = self._near(draw, self.index_shape)
        least, most = (-1 if draw.random() < 0.1 else 0), max(length, 1) + (draw.random() < 0.2)
        self.places = [draw.randrange(least, most) for _ in range(math.prod(self.index_shape))]

    def made(self, torch: Any) -> Any:
        """Set the tensors of the call, and return the one that it is for."""
        kinds = (getattr(torch, kind) for kind in (self.kind, self.src_kind, self.index_kind))
        kind, src_kind, index_kind = kinds
        places = torch.tensor(self.places, dtype=torch.int64).reshape(self.index_shape)
        self.index = places.to(index_kind)
        self.parts = (self.index, places) if self.second else (self.index,)
        self.src = torch.ones(self.src_shape, dtype=src_kind)
        self.value = torch.ones((), dtype=src_kind) if self.filled else self.src
        x = torch.ones(self.shape, dtype=kind)
        return x.requires_grad_() if self.tracked and x.is_floating_point() else x

    @staticmethod
    def _any_shape(draw: random.Random) -> list[int]:
        return [draw.choice((0, 1, 2, 3, 3, 3)) for _ in range(draw.choice((0, 1, 1, 2, 2, 2, 3)))]

    def _near(self, draw: random.Random, shape: list[int]) -> list[int]:
        """Return a shape, at times with another length or quite another one."""
        near = list(shape)
        if draw.random() < 0.1:
            return self._any_shape(draw)
        if near and draw.random() < 0.3:
            at = draw.randrange(len(near))
            near[at] = max(0, near[at] + draw.choice((-1, 1)))
        return near


def outcome(function: Any, torch: Any, call: Call) -> tuple[str, Any]:
    """Return the type and the text of the error that a call raises, else its result."""
    x = call.made(torch)
    try:
        result = function(x, call)
    except Exception as error:
        return type(error).__name__, str(error)
    return str(result.dtype), str(result.tolist())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_calls_that_do_not_fit_raise_the_errors_of_pytorch(name: str) -> None:
    ours, theirs = importlib.import_module("backscope.torch"), importlib.import_module("torch")
    draw = random.Random(name)
    form, function = FUNCTIONS[name]
    refused = 0
    for _ in range(CALLS):
        call = Call(draw, form)
        want = outcome(function, theirs, call)
        if "INTERNAL ASSERT FAILED" in want[1]:
            continue
        assert outcome(function, ours, call) == want, vars(call)
        refused += want[0].endswith("Error")
    assert CALLS // 4 < refused < CALLS
