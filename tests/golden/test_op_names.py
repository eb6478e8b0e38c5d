"""Protects the names of ops in captions and on the stage: PyTorch's, and the same in the terminal and on the page.

The page writes `sentences/written_ops.json`: `npx vitest run src/format/op-name.test.ts -u` in the folder web.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from functools import reduce
from pathlib import Path

import pytest

from backscope import torch
from backscope.caption import expression
from backscope.ops.core.declaration import primitives
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of, sign_of

HERE = Path(__file__).parent
RECORDED: dict[str, list[str]] = json.loads((HERE / "sentences" / "written_ops.json").read_text("utf-8"))

SPACES = (torch, torch.Tensor, torch.nn, torch.nn.functional, torch.nn.utils, torch.nn.utils.rnn)

OF_PYTORCH_ITSELF = {
    "alias": "AliasBackward0",
    "index": "IndexBackward0; captions write x[rows]",
    "copy": "CopyBackwards",
    "primal": "the attribute of what unpack_dual() returns",
    "slice": "SliceBackward0; captions write x[1:3]",
    "standard_gamma": "StandardGammaBackward0, of rsample() of Gamma, Beta, Dirichlet and StudentT",
    "standard_gamma_grad": "StandardGammaGradBackward0",
    "BackwardHookFunction": "BackwardHookFunctionBackward, of backward hooks of modules",
    "CheckpointFunction": "CheckpointFunctionBackward, of checkpoint(use_reentrant=True)",
}
"""Names without a public function that readers meet in PyTorch, and where."""


CUSTOM = {"Cube"}
"""Functions of the recorded programs."""


def is_known(name: str) -> bool:
    """Return True if PyTorch has a public function, method or module of this name, or of it in place."""
    return name in OF_PYTORCH_ITSELF or any(
        reduce(lambda found, part: getattr(found, part, None), one.split("."), space) is not None
        for space in SPACES
        for one in (name, f"{name}_")
    )


def applied() -> Iterator[ev.OpApplied]:
    """Yield each recorded op."""
    with gzip.open(HERE / "samples.jsonl.gz", "rb") as samples:
        lines = [line for line in samples if b'"op_applied"' in line]
    for path in sorted(HERE.glob("*.jsonl")):
        lines += [line for line in path.read_bytes().splitlines() if b'"op_applied"' in line]
    for line in lines:
        event = ev.decode(line)
        if isinstance(event, ev.OpApplied):
            yield event


@pytest.mark.parametrize("ops", [RECORDED, [op.torch_name for op in primitives.values()]], ids=["recorded", "declared"])
def test_no_op_is_called_by_a_private_name(ops: Iterable[str]) -> None:
    names = {op: name_of(op) for op in ops if sign_of(op) is None and op not in CUSTOM}
    private = {op: name for op, name in names.items() if not is_known(name.removesuffix("_backward"))}
    assert private == {}


def test_the_terminal_writes_ops_as_the_page_does() -> None:
    written: dict[str, list[str]] = {}
    for event in applied():
        letters: dict[int, str] = {}
        for one in event.inputs:
            if one.tensor is not None:
                letters.setdefault(one.tensor, f"t{len(letters)}")
        texts = written.setdefault(event.op, [])
        text = expression.of(event.op, event.inputs, letters.__getitem__, letters.__getitem__)
        if len(texts) < 3 and text not in texts:
            texts.append(text)
    assert written == RECORDED
