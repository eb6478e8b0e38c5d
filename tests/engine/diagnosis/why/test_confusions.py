"""Protects answers to the most common mistakes: an example of the page, one question, and what its answer must name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from backscope.protocol import events as ev

TESTS = Path(__file__).parents[3]
EXAMPLES = TESTS.parent / "server" / "backscope_server" / "examples"
ROWS: list[dict[str, Any]] = json.loads((TESTS / "confusions.json").read_text("utf-8"))


def _source(example: str) -> str:
    """Return an example without its title and summary, as the page runs it."""
    lines = (EXAMPLES / f"{example}.py").read_text("utf-8").splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if not line.startswith("# ") and line.strip())
    return "".join(lines[first:])


# Read at collection: inside the sandbox there are no files.
SOURCES = {row["example"]: _source(row["example"]) for row in ROWS}


class Substance(NamedTuple):
    """What an answer must name: words of the cause, lines, nodes, words of the fix and of the wrong fix."""

    cause: tuple[str, ...]
    lines: tuple[int, ...]
    nodes: tuple[str, ...]
    fix: str
    wrong: str


ANSWERS = {
    "15_in_place_error": Substance(
        ("SigmoidBackward0 saved its result y", "line 4", "line 5"),
        (4, 5, 8),
        ("SigmoidBackward0",),
        "new tensor",
        ".data",
    ),
    "09_second_backward": Substance(
        ("MulBackward0", "line 5", "line 6"),
        (5, 6, 10),
        ("MulBackward0", "PowBackward0"),
        "add the losses",
        "retain_graph",
    ),
    "27_history_cut": Substance(
        ("detach() at line 5", "h"), (4, 5, 8), ("MulBackward0",), "Leave out detach()", "requires_grad = True"
    ),
    "08_not_a_scalar": Substance(("shape [3]",), (8,), (), "v^T J", "ones_like"),
    "28_where_nan": Substance(
        ("LogBackward0", "element [0]", "0 × inf = nan", "WhereBackward0", "still runs"),
        (4, 7),
        ("LogBackward0", "WhereBackward0"),
        "double where",
        "nan_to_num",
    ),
    "29_micro_batches": Substance(
        ("sum of 3 gradients",), (18,), ("AccumulateGrad",), "really summed, here 3", "fixed number"
    ),
    "30_loss_history": Substance(
        ("losses holds 5 tensors", "5 rounds", "total does the same"),
        (16,),
        ("MeanBackward0",),
        "loss.item()",
        "del loss",
    ),
    "31_grad_none": Substance(
        ("h is not a leaf", "[8, 14] passed through h", "line 10"),
        (5, 10),
        ("MulBackward0",),
        "h.retain_grad()",
        "detach()",
    ),
    "32_module_forward": Substance(
        ("look hangs on layer", "forward() was called directly"), (9, 12), (), "Call layer(x)", "by hand"
    ),
    "33_reference_cycle": Substance(
        ("leads back to x", "line 6"), (3, 6), ("AccumulateGrad",), "torch.autograd.grad", "del loss"
    ),
    "34_data_zero": Substance(
        ("SigmoidBackward0 at line 4 saved y", "zero_ at line 5", ".data"),
        (4, 5, 6),
        ("SigmoidBackward0",),
        "detach()",
        ".data",
    ),
    "35_gan_step": Substance(
        ("from loss back to generator.weight is cut", "detach() at line 10", "fake"),
        (8, 10, 11),
        ("AccumulateGrad", "AddmmBackward0"),
        "Leave out detach()",
        "requires_grad_()",
    ),
    "36_ties": Substance(("2 elements tie at 3", "1/2 each"), (12,), ("MaxBackward1",), "subgradient", ""),
    "37_complex": Substance(("conjugate",), (4, 5), ("AbsBackward0",), "JAX", "climbs"),
    "25_checkpoint": Substance(
        ("block a second time", "line 9", "SigmoidBackward0"),
        (7, 9, 12),
        ("SigmoidBackward0",),
        "second forward",
        "use_reentrant",
    ),
    "38_reentrant_checkpoint": Substance(
        ("back to w is cut", "use_reentrant=True"),
        (5, 9, 12),
        (),
        "use_reentrant=False",
        "requires_grad_()",
    ),
    "14_broadcasting": Substance(
        ("shape [4, 2], 4 times over", "summed", "[2]"), (6, 7), ("AddBackward0",), "mean in place of the sum", ""
    ),
    "39_vanishing": Substance(
        ("from 1 to 1.759e-08", "SigmoidBackward0 (12 times, 0.2258 each"),
        (6, 8),
        ("SigmoidBackward0",),
        "slope near 1",
        "rate",
    ),
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['row']}-{row['example']}")
def test_row(row: dict[str, Any], why: Callable[..., ev.Diagnosis], record: Callable[..., Any]) -> None:
    """The answer has the expected cause, lines, nodes, fix and wrong fix."""
    program = SOURCES[row["example"]]
    found = why(program, row["key"], row["about"], head="")
    wanted = ANSWERS[row["example"]]
    for word in wanted.cause:
        assert word in found.cause
    assert set(wanted.lines) <= set(found.lines)
    events = record(program, head="").events
    names = {e.node.node: e.node.name for e in events if isinstance(e, ev.OpApplied) and e.node is not None}
    names |= {e.node: e.name for e in events if isinstance(e, ev.NodeCreated)}
    assert set(wanted.nodes) <= {names[node] for node in found.nodes}
    assert wanted.fix in found.fix
    assert wanted.wrong in (found.wrong_fix or "")


def test_every_row_has_an_example() -> None:
    """Each of the fifteen rows is a program that the page offers."""
    assert {row["row"] for row in ROWS} == set(range(1, 16))
    assert {row["example"] for row in ROWS} == set(ANSWERS)


def test_strip_of_norms(why: Callable[..., ev.Diagnosis]) -> None:
    """The evidence of a vanishing gradient is the norm at each node, from the loss on."""
    found = why(SOURCES["39_vanishing"], "grad_small", "w", head="")
    values = [one.value for one in found.evidence]
    assert len(values) == 13
    assert values == sorted(values, key=lambda v: -float(v or 0))
    assert [one.node for one in found.evidence] == found.nodes
