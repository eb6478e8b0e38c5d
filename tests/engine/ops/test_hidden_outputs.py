"""Events say which outputs of an op no program ever holds, and the numbers of all outputs stay what they are."""

from __future__ import annotations

import pytest

from backscope import events as ev, program

_HEAD = "import torch\nimport torch.nn.functional as F\nx = torch.zeros(2, 3, requires_grad=True)\n"


@pytest.mark.parametrize(
    ("source", "op", "hidden"),
    [
        ("F.cross_entropy(x, torch.tensor([0, 1]))", "nll_loss", [1]),
        ("F.logsigmoid(x)", "log_sigmoid", [1]),
        ("F.multilabel_margin_loss(x, torch.tensor([[0, -1, -1], [1, -1, -1]]))", "multilabel_margin_loss", [1]),
        ("x.max(1)", "max", []),
        ("x.exp()", "exp", []),
    ],
)
def test_what_no_program_holds_is_told(source: str, op: str, hidden: list[int]) -> None:
    written: list[bytes] = []
    program.run(_HEAD + source, written.append)
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    (applied,) = [event for event in events if isinstance(event, ev.OpApplied) and event.op == op]
    assert applied.hidden == hidden
    assert len(applied.outputs) == (2 if op in ("max", "nll_loss", "log_sigmoid", "multilabel_margin_loss") else 1)
