"""Generates statements that make views of tensors, also lazily conjugated and negated ones."""

from __future__ import annotations

import math
from collections.abc import Callable

from fuzzing.scope import Scope, Variable
from fuzzing.statements import Statement

Found = tuple[str, tuple[int, ...], str] | None
"""The text of a view with `{}` for the tensor, its shape and its type; None where the tensor has no such view."""

REAL_OF = {"complex128": "float64", "complex64": "float32"}
COMPLEX_OF = {real: kind for kind, real in REAL_OF.items()}


def _without(size: tuple[int, ...], d: int) -> tuple[int, ...]:
    d %= len(size)
    return size[:d] + size[d + 1 :]


def _with(size: tuple[int, ...], d: int, n: int) -> tuple[int, ...]:
    d %= len(size)
    return (*size[:d], n, *size[d + 1 :])


def _lazy(scope: Scope, v: Variable) -> Found:
    # PyTorch has no negated views of truth values, nor rules to map them.
    negated = "{}.conj()" if v.dtype == "bool" or scope.inside_function else "torch._neg_view({})"
    if v.complex:
        return scope.choice((
            ("{}.conj()", v.shape, v.dtype),
            ("{}.conj()", v.shape, v.dtype),
            ("{}.mH", v.shape[:-2] + v.shape[:-3:-1], v.dtype) if v.ndim > 1 else ("{}.conj()", v.shape, v.dtype),
            ("{}.real", v.shape, REAL_OF[v.dtype]),
            ("{}.imag", v.shape, REAL_OF[v.dtype]),
            ("{}.conj().imag", v.shape, REAL_OF[v.dtype]),
            ("torch.view_as_real({})", (*v.shape, 2), REAL_OF[v.dtype]),
            (negated, v.shape, v.dtype),
            ("{}.resolve_conj()", v.shape, v.dtype),
        ))  # fmt: skip
    return scope.choice((
        (negated, v.shape, v.dtype),
        ("{}.conj()", v.shape, v.dtype),
        ("{}.real", v.shape, v.dtype),
        ("{}.resolve_neg()", v.shape, v.dtype),
    ))  # fmt: skip


def _joined(scope: Scope, v: Variable) -> Found:
    if v.dtype in COMPLEX_OF and v.shape and v.shape[-1] == 2:
        return "torch.view_as_complex({})", v.shape[:-1], COMPLEX_OF[v.dtype]
    return None


def _expand(scope: Scope, v: Variable) -> Found:
    size = tuple([3 if n == 1 else n for n in v.shape])
    if scope.chance(0.5):
        size = (2, *size)
    return f"{{}}.expand({size})", size, v.dtype


def _as_strided(scope: Scope, v: Variable) -> Found:
    count = math.prod(v.shape)
    if count < 2:
        return None
    size, strides = scope.choice((
        ((2,), (1,)), ((count // 2,), (2,)), ((2, 2), (1, 1)), ((2, count // 2), (count // 2, 1)), ((2, 2), (0, 1)),
        ((count,), (1,)), ((2, 3), (1, 2)),
    ))  # fmt: skip
    offset = scope.choice((0, 0, 1))
    return f"{{}}.as_strided({size}, {strides}, {offset})", size, v.dtype


def _transposed(scope: Scope, v: Variable) -> Found:
    if v.ndim == 2:
        text = scope.choice(("{}.t()", "{}.T", "{}.mT", "{}.transpose(0, 1)", "{}.permute(1, 0)", "{}.movedim(0, 1)"))
        return text, v.shape[::-1], v.dtype
    if v.ndim == 3:
        return "{}.permute(2, 0, 1)", (v.shape[2], v.shape[0], v.shape[1]), v.dtype
    return ("{}.t()", v.shape, v.dtype) if v.ndim < 2 else None


def _diagonal(scope: Scope, v: Variable) -> Found:
    if v.ndim < 2:
        return None
    offset = scope.choice((0, 0, 1, -1))
    a, b = v.shape[:2]
    n = max(0, min(a, b - offset) if offset >= 0 else min(a + offset, b))
    return f"{{}}.diagonal({offset})", (*v.shape[2:], n), v.dtype


def _pieces(scope: Scope, v: Variable) -> Found:
    if not v.ndim:
        return None
    d = scope.dim(v.ndim)
    n = v.shape[d]
    if n < 1:
        return None
    split = scope.choice(("split(1, {d})", "unbind({d})", "chunk(2, {d})", "tensor_split(2, {d})", "split([{n}], {d})"))
    text = split.format(d=d, n=n)
    left = {"split(1": 1, "chunk(2": -(-n // 2), "tensor_": -(-n // 2), "split([": n}.get(text[:7])
    size = _without(v.shape, d) if left is None else _with(v.shape, d, left)
    return f"{{}}.{text}[0]", size, v.dtype


def _indexed(scope: Scope, v: Variable) -> Found:
    if not v.ndim:
        return scope.choice((("{}[None]", (1,), v.dtype), ("{}[...]", (), v.dtype)))
    n = v.shape[0]
    options: list[Found] = [
        ("{}[1:]", _with(v.shape, 0, max(0, n - 1)), v.dtype),
        ("{}[::2]", _with(v.shape, 0, -(-n // 2)), v.dtype),
        ("{}[None]", (1, *v.shape), v.dtype),
        ("{}[..., :1]", _with(v.shape, -1, min(1, v.shape[-1])), v.dtype),
    ]
    if n:
        options += [("{}[0]", v.shape[1:], v.dtype), ("{}[-1]", v.shape[1:], v.dtype)]
    if v.ndim > 1 and v.shape[1]:
        options.append(("{}[:, 0]", _without(v.shape, 1), v.dtype))
    return scope.choice(options)


def _picked(scope: Scope, v: Variable) -> Found:
    if not v.ndim:
        return None
    d = scope.dim(v.ndim)
    n = v.shape[d]
    if not n:
        return None
    return scope.choice((
        (f"{{}}.select({d}, {scope.rng.randrange(-n, n)})", _without(v.shape, d), v.dtype),
        (f"{{}}.narrow({d}, 0, {max(1, n - 1)})", _with(v.shape, d, max(1, n - 1)), v.dtype),
        (f"{{}}.unfold({d}, {min(2, n)}, 1)", (*_with(v.shape, d, n - min(2, n) + 1), min(2, n)), v.dtype),
    ))  # fmt: skip


def _reshaped(scope: Scope, v: Variable) -> Found:
    count = math.prod(v.shape)
    if not count:
        return "{}.view(-1)", (0,), v.dtype
    sizes = [(count,), (1, count), (count, 1)] + ([(2, count // 2), (count // 2, 2)] if count % 2 == 0 else [])
    size = scope.choice(sizes)
    return f"{{}}.{scope.choice(('view', 'reshape', 'reshape'))}({size})", size, v.dtype


def _padded(scope: Scope, v: Variable) -> Found:
    if scope.chance(0.5):
        return "{}.squeeze()", tuple([n for n in v.shape if n != 1]), v.dtype
    d = scope.rng.randrange(v.ndim + 1)
    return f"{{}}.unsqueeze({d})", (*v.shape[:d], 1, *v.shape[d:]), v.dtype


def _same(scope: Scope, v: Variable) -> Found:
    text = scope.choice(
        (
            "{}.view_as({})",
            "{}.detach()",
            "{}.data",
            "{}.expand_as({})",
            "{}.contiguous()",
            "{}.view({}.shape)",
            "{}.alias_copy()",
        )
    )
    if text == "{}.alias_copy()":
        text = "torch.alias_copy({})"
    return text, v.shape, v.dtype


MAKERS: tuple[Callable[[Scope, Variable], Found], ...] = (
    _lazy, _lazy, _joined, _expand, _as_strided, _transposed, _diagonal, _pieces, _indexed, _picked, _reshaped, _padded,
    _same,
)  # fmt: skip


def expression(scope: Scope, v: Variable) -> tuple[str, tuple[int, ...], str]:
    """Return the text of a view of a variable, its shape and type."""
    for _ in range(6):
        found = scope.choice(MAKERS)(scope, v)
        if found is not None:
            text, size, kind = found
            return text.replace("{}", v.name), size, kind
    return v.name, v.shape, v.dtype


def view(scope: Scope) -> Statement | None:
    """Write a view of a tensor."""
    v = scope.pick()
    if v is None:
        return None
    text, size, kind = expression(scope, v)
    tracked = v.tracked and not text.endswith((".detach()", ".data"))
    made = scope.add(size, kind, tracked=tracked)
    return Statement(f"{made.name} = {text}")
