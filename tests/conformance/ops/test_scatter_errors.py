"""Calls of scatter, scatter_add, scatter_reduce and index_add that do not fit raise PyTorch's errors, in its order.

The arguments are drawn at random, several of them wrong in one call, so that the order of the checks counts as well.
"""

from __future__ import annotations

import importlib
import math
import random
from typing import Any

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter")]

CALLS = 250
"""Calls for each function."""
KINDS = ("float32", "float64", "int64", "int32", "bool", "complex64", "float16", "uint8")
INDEX_KINDS = (*["int64"] * 8, "int32", "int32", "float32", "bool", "int16")
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin", "add", "multiply", "bad")

FUNCTIONS = {
    "scatter": lambda x, c: x.scatter(c.dim, c.index, c.src),
    "scatter_": lambda x, c: x.scatter_(c.dim, c.index, c.src),
    "scatter of a number": lambda x, c: x.scatter(c.dim, c.index, c.number),
    "scatter with a reduction": lambda x, c: x.scatter(c.dim, c.index, c.src, reduce=c.reduce),
    "scatter_ of a number with a reduction": lambda x, c: x.scatter_(c.dim, c.index, c.number, reduce=c.reduce),
    "scatter_add": lambda x, c: x.scatter_add(c.dim, c.index, c.src),
    "scatter_reduce": lambda x, c: x.scatter_reduce(c.dim, c.index, c.src, c.reduce, include_self=c.include_self),
    "index_add": lambda x, c: x.index_add(c.dim, c.index, c.src),
}


class Call:
    """The arguments of a call, drawn at random; `made` gives them as tensors of a module."""

    def __init__(self, draw: random.Random, vector: bool) -> None:
        self.shape = self._any_shape(draw)
        self.kind = draw.choice(KINDS)
        self.src_kind = self.kind if draw.random() < 0.8 else draw.choice(KINDS)
        self.index_kind = draw.choice(INDEX_KINDS)
        rank = max(len(self.shape), 1)
        self.dim = draw.randrange(-rank, rank) if draw.random() < 0.8 else draw.choice((-4, -1, 0, 1, 3))
        self.reduce = draw.choice(REDUCTIONS)
        self.include_self = draw.random() < 0.6
        self.number = draw.choice((2, 1.5, True, -1, 1e10, 2j))
        if vector:
            count = draw.choice((0, 1, 2, 2, 3))
            self.index_shape = self._near(draw, [count])
            src = list(self.shape)
            if -len(src) <= self.dim < len(src):
                src[self.dim] = count
            self.src_shape = self._near(draw, src)
        else:
            self.index_shape = self._near(draw, self.shape)
            self.src_shape = self._near(draw, self.index_shape)
        length = self.shape[self.dim] if -len(self.shape) <= self.dim < len(self.shape) else 1
        least, most = (-1 if draw.random() < 0.1 else 0), max(length, 1) + (draw.random() < 0.2)
        self.places = [draw.randrange(least, most) for _ in range(math.prod(self.index_shape))]

    def made(self, torch: Any) -> Any:
        """Set `index` and `src`, and return the tensor that they are for."""
        kinds = (getattr(torch, kind) for kind in (self.kind, self.src_kind, self.index_kind))
        kind, src_kind, index_kind = kinds
        self.index = torch.tensor(self.places, dtype=torch.int64).reshape(self.index_shape).to(index_kind)
        self.src = torch.ones(self.src_shape, dtype=src_kind)
        return torch.ones(self.shape, dtype=kind)

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
    return str(result.dtype), result.tolist()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_calls_that_do_not_fit_raise_the_errors_of_pytorch(name: str) -> None:
    ours, theirs = importlib.import_module("backscope.torch"), importlib.import_module("torch")
    draw = random.Random(name)
    refused = 0
    for _ in range(CALLS):
        call = Call(draw, vector=name == "index_add")
        want = outcome(FUNCTIONS[name], theirs, call)
        assert outcome(FUNCTIONS[name], ours, call) == want, vars(call)
        refused += want[0].endswith("Error")
    assert CALLS // 4 < refused < CALLS
