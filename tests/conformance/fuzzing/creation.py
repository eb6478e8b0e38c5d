"""Generates statements that make tensors: leaves, and results of factories."""

from __future__ import annotations

import math

from fuzzing.scope import Scope, Variable
from fuzzing.statements import Statement

SHAPES = ((3,), (2, 3), (3, 2), (2, 2), (2, 3), (1, 3), (2, 1), (), (2, 2, 2), (4,), (0, 2), (2, 1, 3), (6,))


def shape(scope: Scope) -> tuple[int, ...]:
    """Return the shape of a small tensor."""
    return scope.choice(SHAPES)


def dtype(scope: Scope) -> str:
    """Return a type, mostly floating point."""
    return scope.choice(
        ("float32",) * 6 + ("float64",) * 5 + ("complex128", "complex128", "complex64", "int64", "bfloat16", "bool")
    )


def literal(scope: Scope, size: tuple[int, ...], kind: str) -> str:
    """Return nested lists of numbers as text."""
    if size:
        return "[" + ", ".join([literal(scope, size[1:], kind) for _ in range(size[0])]) + "]"
    if kind == "bool":
        return scope.choice(("True", "False"))
    if kind == "int64":
        return str(scope.rng.randrange(-1, 3))
    real = scope.choice((f"{scope.rng.uniform(-2, 2):.2f}", f"{scope.rng.uniform(0.1, 2):.1f}", "0.0", "1.0"))
    return f"{real}{scope.rng.uniform(-1, 1):+.1f}j" if kind.startswith("complex") else real


def leaf(scope: Scope, size: tuple[int, ...] | None = None, kind: str | None = None) -> Statement:
    """Write a tensor of numbers, which may require grad."""
    size = shape(scope) if size is None else size
    kind = dtype(scope) if kind is None else kind
    values = literal(scope, size, kind)
    if 0 in size:
        text = f"torch.empty({size}, dtype=torch.{kind})"
    else:
        text = f"torch.tensor({values}, dtype=torch.{kind})"
    tracked = kind not in ("int64", "bool") and scope.chance(0.6)
    made = scope.add(size, kind, tracked=tracked, leaf=True)
    return Statement(f"{made.name} = {text}" + (".requires_grad_()" if tracked else ""))


def factory(scope: Scope) -> Statement | None:
    """Write a call of a factory such as torch.zeros, by shape or like another tensor."""
    like = scope.pick()
    if like is not None and scope.chance(0.6):
        name = scope.choice(
            ("zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "new_tensor", "empty_like")
        )
        return _like(scope, like, name)
    size = shape(scope)
    kind = dtype(scope)
    options = f"dtype=torch.{kind}"
    if kind not in ("int64", "bool") and scope.chance(0.2):
        options += ", requires_grad=True"
    made = scope.add(size, kind, tracked="requires" in options, leaf=True)
    call = scope.choice((f"zeros({size}, ", f"ones({size}, ", f"full({size}, 2, ", f"arange({math.prod(size)}, "))
    tail = f".view({size})" if call.startswith("arange") else ""
    if tail and 0 in size:
        tail = f".reshape({size})"
    return Statement(f"{made.name} = torch.{call}{options}){tail}")


def _like(scope: Scope, like: Variable, name: str) -> Statement:
    size = shape(scope) if name.startswith("new_") else like.shape
    options = scope.choice(("", "", "", ", dtype=torch.float64", ", requires_grad=True"))
    kind = "float64" if "float64" in options else like.dtype
    if name == "empty_like":
        made = scope.add(size, kind)
        return Statement(f"{made.name} = torch.empty_like({like.name}{options}).fill_({scope.number()})")
    if name == "new_tensor":
        made = scope.add((2,), like.dtype)
        return Statement(f"{made.name} = {like.name}.new_tensor([{scope.number()}, {scope.number()}])")
    made = scope.add(size, kind, tracked="requires" in options, leaf=True)
    value = f", {scope.number()}" if "full" in name else ""
    if name.startswith("new_"):
        return Statement(f"{made.name} = {like.name}.{name}({size}{value}{options})")
    return Statement(f"{made.name} = torch.{name}({like.name}{value}{options})")
