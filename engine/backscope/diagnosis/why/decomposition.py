"""Explains decompositions without a derivative: repeated eigenvalues or singular values, and dependent columns."""

from __future__ import annotations

import math
from typing import NamedTuple

from backscope.diagnosis.why.answer import at, listed, number
from backscope.diagnosis.why.log.facts import NodeFacts
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.spoiled_value import as_number
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

CLOSE = 1e-6
"""Two numbers that differ by less than this share of the largest one count as equal."""

_SPREAD = (
    "Compute the loss from the values alone, which have a derivative ({alone}), or break the tie first: "
    "x + torch.diag(1e-3 * torch.arange(n)) moves the values apart."
)
_WRONG = (
    "clamp() or an eps on the result does not help: the vectors are finite, their derivative is not. Nor does "
    "nan_to_num on the gradient: what is lost is its direction."
)


class Degenerate(NamedTuple):
    """An explanation of a decomposition without a derivative: the reason, the fixes, and the numbers concerned."""

    reason: str
    fix: str
    wrong_fix: str
    evidence: list[ev.Evidence]


def degenerate(tape: Tape, node: NodeFacts) -> Degenerate | None:
    """Return why the derivative of a node's decomposition is not finite; None for any other node."""
    op = node.op
    if op is None or not op.outputs:
        return None
    base = op.op.removeprefix("linalg_").removeprefix("_linalg_")
    if base in ("eigh", "eig"):
        alone = f"torch.linalg.eigvals{'h' if base == 'eigh' else ''}(x)"
        return _repeated(node, op, op.outputs[0].value, "eigenvalue", "eigenvectors", alone)
    if base == "svd" and len(op.outputs) > 1:
        return _repeated(node, op, op.outputs[1].value, "singular value", "singular vectors", "torch.linalg.svdvals(x)")
    if base == "qr" and len(op.outputs) > 1:
        return _dependent(tape, node, op)
    return None


def _repeated(
    node: NodeFacts, op: ev.OpApplied, value: ev.Summary, one: str, vectors: str, alone: str
) -> Degenerate | None:
    if not value.shape or math.prod(value.shape) != len(value.values):
        return None
    numbers = [complex(*map(_float, v)) if isinstance(v, list) else complex(_float(v)) for v in value.values]
    count = value.shape[-1]
    for start in range(0, len(numbers), count or 1):
        part = numbers[start : start + count]
        largest = max((abs(v) for v in part), default=0.0)
        for v in part:
            same = [j for j, other in enumerate(part) if abs(other - v) <= CLOSE * largest]
            if len(same) > 1:
                return _tied(node, op, (_shown(v), start // count if count else 0, same), one, vectors, alone)
        if (
            one == "singular value"
            and (small := next((i for i, v in enumerate(part) if abs(v) == 0), None)) is not None
        ):
            return _tied(node, op, ("0", start // count if count else 0, [small]), one, vectors, alone)
    return None


def _tied(
    node: NodeFacts, op: ev.OpApplied, found: tuple[str, int, list[int]], one: str, vectors: str, alone: str
) -> Degenerate:
    shown, batch, same = found
    which = "" if op.outputs[0].value.shape[:-1] == [] or one != "eigenvalue" else f" of matrix {batch}"
    places = listed([f"[{i}]" for i in same[:4]]) + (", ..." if len(same) > 4 else "")
    if len(same) > 1:
        how = "twice" if len(same) == 2 else f"{len(same)} times"
        reason = (
            f"the {one} {shown} comes {how}{which} ({places}). Repeated {one}s have no unique {vectors}: any rotation "
            f"of them among themselves is as good, and the formula divides by the difference, {shown} - {shown} = 0."
        )
    else:
        reason = f"the {one} {places} is 0{which}, its {vectors} are not unique, and the formula divides by it."
    text = f"{one}s {places}: {shown} - {shown} = 0" if len(same) > 1 else f"{one} {places}: {shown}"
    return Degenerate(
        reason, _SPREAD.format(alone=alone), _WRONG, [ev.Evidence(text=text, line=op.line, node=node.number)]
    )


def _dependent(tape: Tape, node: NodeFacts, op: ev.OpApplied) -> Degenerate | None:
    triangle = op.outputs[1].value
    if len(triangle.shape) < 2 or math.prod(triangle.shape) != len(triangle.values):
        return None
    rows, columns = triangle.shape[-2:]
    numbers = [abs(complex(*map(_float, v))) if isinstance(v, list) else abs(_float(v)) for v in triangle.values]
    for start in range(0, len(numbers), rows * columns or 1):
        diagonal = [numbers[start + i * columns + i] for i in range(min(rows, columns))]
        largest = max(numbers[start : start + rows * columns], default=0.0)
        for i, v in enumerate(diagonal):
            if v <= CLOSE * largest:
                name = "x" if op.inputs[0].tensor is None else tape.name(op.inputs[0].tensor, op.seq)
                reason = (
                    f"column {i} of {name} depends on those before it, so that R[{i}, {i}] is "
                    f"{number(as_number(v))}: Q has no unique column there, and the formula divides by that number."
                )
                text = f"R[{i}, {i}] is {number(as_number(v))}"
                return Degenerate(
                    reason,
                    "Leave the columns out that depend on others, or move them apart with a little noise first: "
                    "x + 1e-3 * torch.randn_like(x).",
                    _WRONG.replace(
                        "the vectors are finite, their derivative is not", "Q is finite, its derivative not"
                    ),
                    [ev.Evidence(text=text, line=op.line, node=node.number)],
                )
    return None


def sentence(node: NodeFacts, what: str, found: Degenerate) -> str:
    """Return the reason as a sentence about a node that made NaN or an infinity."""
    op = node.name if node.op is None else name_of(node.op.op, node.op.inputs)
    return f"The first {what} is made in the backward pass by {node.name}, of {op}{at(node.line)}: {found.reason}"


def _float(value: ev.Number) -> float:
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else float(value)


def _shown(value: complex) -> str:
    real = number(as_number(value.real))
    return real if value.imag == 0 else f"{real}{'+' if value.imag > 0 else ''}{number(as_number(value.imag))}j"
