"""Programs that would bend a recording by how they are written: their logs stay whole, and the same in every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope import events as ev
from backscope.journal import Journal
from backscope.program import LARGEST_PRINT, run

INDEXING = """
import torch
import numpy as np
x = torch.randn(20, 4, requires_grad=True)
index = np.array([1, 2])
for i in range(40):
    y = x.gather(1, torch.tensor([[0, 1]] * 20)).sum() + x[torch.tensor([1, 2])].sum() + x[index].sum()
    index[0] = i % 20
    mask = x > 0
    (y + x[mask].sum() + x.masked_fill(mask, 0.0).sum()).backward()
"""


def test_when_a_journal_drains_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment keeps no argument alive and shows none as it became later: the log is the same for any batch."""
    logs = []
    for batch in (1, 7, 512):
        monkeypatch.setattr(Journal, "BATCH", batch)
        written: list[bytes] = []
        assert run(INDEXING, written.append) == "ok"
        logs.append(b"".join(written))
    assert logs[0] == logs[1] == logs[2]


def test_texts_with_lone_surrogates(record: Callable[..., Any]) -> None:
    """Errors, warnings and hook names that JSON can't carry are escaped."""
    found = record(
        "import torch, warnings\n"
        "x = torch.ones(1, requires_grad=True)\n"
        "def hook(g):\n    return None\n"
        "hook.__name__ = 'h\\ud800'\n"
        "x.register_hook(hook)\n"
        "(x * 2).sum().backward()\n"
        "warnings.warn('w\\ud800')\n"
        "raise ValueError('e\\ud800')\n"
    )
    assert found.status == "error"
    assert found.of(ev.HookRan)[0].hook == "h\\ud800"
    assert found.of(ev.WarningRaised)[0].message == "w\\ud800"
    assert found.of(ev.ErrorRaised)[-1].message == "e\\ud800"


def test_a_text_that_exits(record: Callable[..., Any]) -> None:
    """An exception whose __str__ exits is reported like any other."""
    found = record("class E(Exception):\n    def __str__(self):\n        raise SystemExit(3)\nraise E()\n")
    assert found.status == "error" and found.of(ev.ErrorRaised)[0].type == "E"


def test_a_key_without_a_text(record: Callable[..., Any]) -> None:
    """A dict key whose __repr__ raises does not end the program."""
    found = record(
        "import torch\n"
        "class K:\n    def __repr__(self):\n        raise ValueError\n"
        "d = {K(): torch.ones(1)}\nprint('on')\n"
    )
    assert (found.status, found.stdout) == ("ok", "on\n")


def test_a_property_is_not_read_again(record: Callable[..., Any]) -> None:
    """After `self.x = v` nothing of the user's runs: a getter that prints, or none at all."""
    found = record(
        "class A:\n"
        "    def set(self):\n        self.loud = 1\n        self.mute = 2\n"
        "    loud = property(lambda self: print('read'), lambda self, v: None)\n"
        "    mute = property(None, lambda self, v: None)\n"
        "A().set()\n"
    )
    assert (found.status, found.stdout) == ("ok", "")


def test_a_long_expression(record: Callable[..., Any]) -> None:
    """A sum of 900 terms nests deeper than a visitor of expressions could go."""
    assert record(f"print({' + '.join(['1'] * 900)})\n").stdout == "900\n"


def test_a_long_print_is_several_events(record: Callable[..., Any]) -> None:
    """No event grows with what a program prints at once."""
    found = record(f"print('x' * {LARGEST_PRINT * 3})\n")
    texts = [e.text for e in found.of(ev.OutputPrinted)]
    assert len(texts) == 4 and max(map(len, texts)) == LARGEST_PRINT and len(found.stdout) == LARGEST_PRINT * 3 + 1


def test_a_loop_binds_its_name_again(record: Callable[..., Any]) -> None:
    """`for p in params` tells which tensor p is in every round."""
    found = record(
        "import torch\na, b = torch.ones(1), torch.zeros(1)\nfor i in range(2):\n    for p in (a, b):\n        pass\n"
    )
    told = [e.tensor for e in found.of(ev.TensorNamed) if e.name == "p"]
    assert len(told) == 4 and told[:2] == told[2:]


def test_in_place_by_a_number_clones_nothing(record: Callable[..., Any]) -> None:
    """mul_(2) saves nothing of the tensor that it changes; mul_ by a tracked tensor does."""
    source = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 1\ny.mul_({})\n"
    assert [e.op for e in record(source.format("2")).of(ev.OpApplied)] == ["mul", "mul_"]
    assert "clone" in [e.op for e in record(source.format("x")).of(ev.OpApplied)]
