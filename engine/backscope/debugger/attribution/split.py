"""Splits an element that a node sends into its shares: one for each element of the gradients that the node ran on.

The formulas of nodes are linear: an element that is sent is the sum of the elements of these gradients, each times a
factor.  The factors are the gradient of the formula itself, which runs on Tensors like any function.  Where the formula
has no gradient, as with a backward() that leaves the tape, the node runs once for each element, on that one alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from backscope.autograd.backward_and_grad import grad
from backscope.autograd.evaluation import in_formula, wrapped
from backscope.autograd.formula import fit
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import described
from backscope.autograd.saved.saved_tensors import environment
from backscope.autograd.validation import validated
from backscope.debugger.attribution.rehearsal import Ran, silent, untouched
from backscope.ops.core.declaration import evaluate
from backscope.runtime.given import Value
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor, make

MOST_RUNS = 1024
"""The most runs of a node to find the shares of its elements one by one."""
MOST_DOUBTS = 64
"""The most factors that are NaN and examined one by one."""

Array = np.ndarray[Any, Any]


class Split:
    """Shares of an element: for each the output, the flat index in its gradient, the element there, factor, product.

    `factors` is None where the node ran for each share alone.  `made` is the element that the formula returns, without
    hooks; `linear` is True where the shares add up to it.
    """

    __slots__ = ("amounts", "elements", "factors", "linear", "made", "outputs", "places")

    def __init__(
        self, outputs: Array, places: Array, elements: Array, factors: Array | None, amounts: Array, made: Value
    ) -> None:
        self.outputs = outputs
        self.places = places
        self.elements = elements
        self.factors = factors
        self.amounts = amounts
        self.made = made
        self.linear = adds_up(amounts, made)


def adds_up(amounts: Array, made: Value) -> bool:
    """Return whether numbers have the sum `made`, up to the rounding of its type."""
    with np.errstate(all="ignore"):
        wide = np.complex128 if np.iscomplexobj(amounts) else np.float64
        total = amounts.astype(wide).sum()
        if not np.isfinite(made) or not np.isfinite(total):
            return bool(np.isnan(total) == np.isnan(made) and np.isfinite(total) == np.isfinite(made))
        size = max(float(np.abs(amounts.astype(wide)).sum()), abs(complex(made)))
    return bool(abs(complex(total) - complex(made)) <= tolerance(np.asarray(made).dtype, amounts.size) * size + TINY)


TINY = 1e-37
"""A number that rounds to zero in float32."""


def tolerance(kind: np.dtype[Any], count: int) -> float:
    """Return the relative rounding error of a sum of `count` numbers of a type."""
    eps = {2: 2.0**-8, 4: 2.0**-23, 8: 2.0**-52, 16: 2.0**-52}[4 if str(kind) == "complex64" else kind.itemsize]
    return float(8 * eps * max(1.0, count**0.5))


def split(ran: Ran, input_nr: int, element: tuple[int, ...]) -> Split | None:
    """Return the shares of one element of an input's gradient; None where there are too many to try one by one."""
    apart = untouched([ran.node]) if ran.node.composite else contextlib.nullcontext()
    with apart, silent():
        try:
            found = _by_factors(ran, input_nr, element)
        except Exception:  # noqa: BLE001 - a user's backward() may raise anything where it is recorded
            found = None
        if found is None or not found.linear:
            found = _one_by_one(ran, input_nr, element) or found
    return found


def _by_factors(ran: Ran, input_nr: int, element: tuple[int, ...]) -> Split | None:
    """Return the shares by the gradient of the node's formula; None where it has no gradient."""
    given = [None if g is None else _leaf(g) for g in ran.gradients]
    variables = [g for g in given if g is not None]
    if any(g._dtype.is_complex for g in variables):
        return None  # Conjugation is linear only in the real and imaginary parts taken apart.
    with _recording():
        made = _formula(ran, given, input_nr)
        if made is None or made._dtype.is_complex or not made._requires_grad:
            return None
        one = made[element] if element else made
        ones = make(one._dtype.scalar(1), one._dtype)
        factors = grad([one], variables, [ones], retain_graph=True, allow_unused=True)
        known = _positions(ran, input_nr, element, [g._data.shape for g in variables])
        reached: Any = known
        if known is None:
            nan = make(one._dtype.scalar(float("nan")), one._dtype)
            reached = grad([one], variables, [nan], retain_graph=True, allow_unused=True)
    parts = []
    outputs = [k for k, g in enumerate(given) if g is not None]
    for k, g, factor, mask in zip(outputs, variables, factors, reached, strict=True):
        values = np.asarray(g._data).reshape(-1)
        if factor is None:
            continue
        flat = np.asarray(factor._data).reshape(-1)
        if known is None:
            places = np.nonzero((flat != 0) | np.isnan(np.asarray(mask._data).reshape(-1)))[0]
            places = _without_unrelated(ran, input_nr, element, k, flat, places)
        else:
            places = mask
        parts.append((np.full(len(places), k), places, values[places], flat[places]))
    if not parts:
        return None
    joined = [np.concatenate([part[n] for part in parts]) for n in range(4)]
    with np.errstate(all="ignore"):
        amounts = (joined[3] * joined[2]).astype(joined[2].dtype)
    return Split(joined[0], joined[1], joined[2], joined[3], amounts, one._data)


@contextlib.contextmanager
def _recording() -> Iterator[None]:
    """Inside, ops are put on the tape."""
    before, mode.enabled = mode.enabled, True
    try:
        yield
    finally:
        mode.enabled = before


def _leaf(gradient: Value) -> Tensor:
    raw = gradient.copy() if isinstance(gradient, np.ndarray) else gradient
    leaf: Tensor = make(raw, dtype.table[raw.dtype])
    leaf._requires_grad = True
    return leaf


def _formula(ran: Ran, given: list[Any], input_nr: int) -> Any:
    """Return the gradient of an input as a Tensor with a history that begins at the gradients `given`."""
    node: Any = ran.node
    g: Any = list(given) if node.multi else given[0]
    if node.composite:
        return validated(node, node.run_tensors(node, g))[input_nr]
    op = node.op
    needs = (True,) * len(op.inputs) if op.listed else tuple([n is not None for n in node.next])
    values = [g, *[_apart(v) for v in environment(node)]]
    for k in range(len(op.slots)):
        values[k + 1] = wrapped(values[k + 1])
    in_formula.append(True)
    try:
        gradients = evaluate(op.plan(needs).steps, values, len(op.inputs))
    finally:
        in_formula.pop()
    below, nr = node.edges()[input_nr]
    return None if gradients[input_nr] is None else fit(gradients[input_nr], below, nr)


def _apart(value: Value) -> Value:
    """Return a saved tensor without its history, which would lead through the whole graph."""
    if isinstance(value, (list, tuple)):
        return type(value)([_apart(v) for v in value])
    return make(value._data, value._dtype) if isinstance(value, Tensor) else value


def _positions(ran: Ran, input_nr: int, element: tuple[int, ...], shapes: list[Any]) -> list[Array] | None:
    """Return the flat indices of an element's shares if the op is elementwise: the element and its broadcast copies."""
    op = ran.node.op
    below, nr = ran.node.edges()[input_nr]
    if op is None or not op.elementwise or len(shapes) != 1 or below is None:
        return None
    (shape,) = shapes
    receiver = described(below, nr)[0]
    index: list[Any] = [slice(None)] * (len(shape) - len(receiver))
    index += [slice(None) if length == 1 else at for at, length in zip(element, receiver, strict=True)]
    places = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    return [np.asarray(places[tuple(index)]).reshape(-1)]


def _without_unrelated(
    ran: Ran, input_nr: int, element: tuple[int, ...], output: int, factors: Array, places: Array
) -> Array:
    """Return the indices but for those on which the element does not depend: their factor is NaN without need.

    The gradient of the whole formula has such a NaN beside a zero that another element is divided by.
    """
    doubtful = [int(p) for p in places if np.isnan(factors[p])]
    if not doubtful or len(doubtful) > MOST_DOUBTS:
        return places
    none = [None if g is None else np.zeros_like(g) for g in ran.gradients]
    nothing = _ran_on(ran, none, input_nr, element)
    unrelated = set()
    for place in doubtful:
        one = _with(none, output, place, 1)
        if _same(_ran_on(ran, one, input_nr, element), nothing) and not np.isnan(nothing):
            unrelated.add(place)
    return np.array([p for p in places if int(p) not in unrelated], dtype=np.int64)


def _same(a: Value, b: Value) -> bool:
    return bool(a == b or (np.isnan(a) and np.isnan(b)))


def _with(gradients: list[Any], output: int, place: int, value: Value) -> list[Any]:
    """Return the gradients with one element replaced."""
    changed = np.array(gradients[output])
    changed.reshape(-1)[place] = value
    return [*gradients[:output], changed[()], *gradients[output + 1 :]]


def _ran_on(ran: Ran, gradients: list[Any], input_nr: int, element: tuple[int, ...]) -> Any:
    """Run the node on other gradients and return the element."""
    node: Any = ran.node
    taken = [None if g is None else np.array(g)[()] for g in gradients]
    found = validated(node, node.plan.run(node, taken if node.multi else taken[0]))[input_nr]
    return np.float64(0) if found is None else np.asarray(found)[element]


def _one_by_one(ran: Ran, input_nr: int, element: tuple[int, ...]) -> Split | None:
    """Return the shares, each found by running the node on one element alone."""
    sizes = [0 if g is None else np.size(g) for g in ran.gradients]
    if sum(sizes) > MOST_RUNS:
        return None
    none = [None if g is None else np.zeros_like(g) for g in ran.gradients]
    try:
        made = _ran_on(ran, ran.gradients, input_nr, element)
        nothing = _ran_on(ran, none, input_nr, element)
        rows = [
            (output, place, value, _ran_on(ran, _with(none, output, place, value), input_nr, element))
            for output, g in enumerate(ran.gradients)
            if g is not None
            for place, value in enumerate(np.asarray(g).reshape(-1))
        ]
    except Exception:  # noqa: BLE001 - a user's backward() may raise anything
        return None
    rows = [row for row in rows if not _same(row[3], nothing)]
    amounts = np.array([row[3] for row in rows], dtype=np.asarray(made).dtype)
    return Split(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows]),
        None,
        amounts,
        made,
    )
