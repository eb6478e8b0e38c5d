"""The variables that a statement of a random program can use, and random choices among them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
FLOATING = ("float64", "float32", "bfloat16")
COMPLEX = ("complex128", "complex64")


@dataclass(frozen=True)
class Variable:
    """A name of a program with the expected shape and type of its tensor; `tracked` if gradients may flow to it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    tracked: bool = False
    leaf: bool = False

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return len(self.shape)

    @property
    def real(self) -> bool:
        """Return whether it is of a floating point type."""
        return self.dtype in FLOATING

    @property
    def complex(self) -> bool:
        """Return whether it is of a complex type."""
        return self.dtype in COMPLEX

    @property
    def differentiable(self) -> bool:
        """Return whether gradients exist for its type."""
        return self.real or self.complex


@dataclass
class Scope:
    """The variables that exist at a statement, and the random generator."""

    rng: random.Random
    variables: list[Variable] = field(default_factory=list)
    names: list[int] = field(default_factory=lambda: [0])
    depth: int = 0
    inside_function: bool = False
    functions: list[str] = field(default_factory=list)

    def fresh(self, letter: str = "v") -> str:
        """Return an unused name."""
        self.names[0] += 1
        return f"{letter}{self.names[0]}"

    def choice(self, options: Sequence[T]) -> T:
        """Return one of several."""
        return options[self.rng.randrange(len(options))]

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.rng.random() < probability

    def number(self) -> str:
        """Return a number with few digits; 0 and 1 more often than others."""
        return self.choice(
            ["0.0", "1.0", "-1.0", "2.0", f"{self.rng.uniform(-2, 2):.2f}", f"{self.rng.uniform(0, 3):.1f}"]
        )

    def dim(self, ndim: int) -> int:
        """Return a dim of a tensor with dims, counted from either end."""
        return self.rng.randrange(-ndim, ndim) if ndim else 0

    def pick(self, wanted: Callable[[Variable], bool] = lambda v: True) -> Variable | None:
        """Return a variable that fits, newer ones more often; None if there is none."""
        found = [v for v in self.variables if wanted(v)]
        if not found:
            return None
        if self.chance(0.5):
            found = found[-4:]
        return self.choice(found)

    def add(self, shape: Sequence[int], dtype: str, *, tracked: bool = False, leaf: bool = False) -> Variable:
        """Add a variable, which the current statement makes."""
        made = Variable(self.fresh(), tuple(shape), dtype, tracked, leaf)
        self.variables.append(made)
        return made

    def inner(self, variables: Sequence[Variable] | None = None, *, function: bool = False) -> Scope:
        """Return the scope of a block in this one, or of a function with parameters."""
        known = list(self.variables) if variables is None else list(variables)
        return Scope(self.rng, known, self.names, self.depth + 1, self.inside_function or function, self.functions)


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the common shape of two shapes, None if there is none."""
    n = max(len(a), len(b))
    pairs = zip((1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b, strict=True)
    found = []
    for x, y in pairs:
        if x != y and 1 not in (x, y):
            return None
        found.append(y if x == 1 else x)
    return tuple(found)


def promoted(a: str, b: str) -> str:
    """Return the type of a result of two tensors with dims, as precisely as the generator needs it."""
    order = ("bool", "int64", "bfloat16", "float32", "float64", "complex64", "complex128")
    high = max(a, b, key=order.index)
    return "complex128" if high == "complex64" and "float64" in (a, b) else high
