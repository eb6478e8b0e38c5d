"""Protects the question about memory: loops that need what they hold have none, loops that leak have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, questions

Why = Callable[..., Any]

NET = (
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.blocks = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(4))\n"
    "    def forward(self, x):\n        kept = []\n        for block in self.blocks:\n"
    "            x = torch.relu(block(x))\n            kept.append(x)\n        return x, kept\nnet = Net()\n"
)
CELL = "cell = torch.nn.RNNCell(2, 3)\nh = torch.zeros(1, 3)\nouts = []\nfor t in range(4):\n"
TRAIN = (
    "net = torch.nn.Linear(4, 1)\nkept = []\ntotal = 0\nfor step in range(4):\n"
    "    loss = net(torch.ones(2, 4)).mean()\n"
)
STEPS = NET + "for step in range(3):\n    out, kept = net(torch.ones(2, 4))\n"


@pytest.mark.parametrize(
    "body",
    [
        NET + "out, kept = net(torch.ones(2, 4))\n",
        NET + "out, kept = net(torch.ones(2, 4))\nloss = out.sum()\nloss.backward()\n",
        NET
        + "for step in range(3):\n    out, kept = net(torch.ones(2, 4))\n    (out.sum() + kept[0].sum()).backward()\n",
        "d = torch.nn.Linear(4, 1)\n" + STEPS + "    d(out.detach()).mean().backward()\n"
        "    g_loss = -d(out).mean() + kept[1].mean()\n    g_loss.backward()\n",
        "blocks = [torch.nn.Linear(4, 4) for _ in range(4)]\nx = torch.ones(2, 4)\nacts = []\nfor block in blocks:\n"
        "    x = torch.relu(block(x))\n    acts.append(x)\nloss = x.sum()\n",
        "heads = torch.nn.ModuleList(torch.nn.Linear(4, 2) for _ in range(4))\nouts = []\n"
        "x = torch.ones(2, 4, requires_grad=True)\nfor head in heads:\n    outs.append(head(x))\n"
        "y = torch.cat(outs, 1)\n",
        CELL + "    h = cell(torch.ones(1, 2), h)\n    outs.append(h)\ny = torch.stack(outs)\n",
        CELL + "    h = cell(torch.ones(1, 2), h)\n    outs.append(h)\ntorch.stack(outs).sum().backward()\n",
        TRAIN + "    loss.backward()\n    kept.append(loss.item())\n",
        TRAIN + "    loss.backward()\n    kept.append(loss.detach())\n    total += float(loss)\n",
        TRAIN + "    kept.append(loss)\nsum(kept).backward()\n",
    ],
)
def test_no_leak(record: Callable[..., Any], body: str) -> None:
    """Layers of one forward pass, kept activations, states of one sequence, losses as numbers: no moment has it."""
    tape = Tape(record(body).events)
    for seq in range(1, tape.seq + 1):
        assert "memory" not in [one.key for one in questions(tape, seq, Subject())]


@pytest.mark.parametrize(
    ("body", "cause", "fix"),
    [
        (TRAIN + "    loss.backward()\n    kept.append(loss)\n", "kept holds 4 tensors", "loss.item()"),
        (TRAIN + "    loss.backward()\n    total += loss\n", "total, bound at line 8,", "total += loss.item()"),
        (TRAIN + "    kept.append(loss)\n", "kept holds 4 tensors", "loss.item()"),
        (TRAIN + "    total += loss\n", "total, bound at line 7,", "total += loss.item()"),
        (
            TRAIN + "    loss.backward(retain_graph=True)\n",
            "backward(retain_graph=True) at line 7 keeps",
            "Leave out",
        ),
        (
            "net = torch.nn.Linear(4, 1)\nacts = []\nnet.register_forward_hook(lambda m, a, out: acts.append(out))\n"
            "for step in range(4):\n    net(torch.ones(2, 4)).mean().backward()\n",
            "The forward hook <lambda> on net at line 4 was given them",
            "output.detach()",
        ),
    ],
)
def test_a_leak(why: Why, body: str, cause: str, fix: str) -> None:
    """The answer names the holder of the graphs of earlier rounds."""
    found = why(body, "memory")
    assert cause in found.cause
    assert fix in found.fix
