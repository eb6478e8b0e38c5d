"""Protects answers for whole programs as users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Why = Callable[..., Any]

ARGMAX = (
    "net = torch.nn.Linear(3, 4)\nout = net(torch.ones(2, 3)).softmax(1)\n"
    "pred = out.argmax(1).float().requires_grad_()\nloss = ((pred - torch.tensor([1.0, 2.0])) ** 2).mean()\n"
    "loss.backward()\n"
)
STD = (
    "h = torch.nn.Linear(3, 1)\nz = h(torch.ones(2, 3))\ns = z.std(dim=1)\n"
    "n = (z - z.mean(1, keepdim=True)) / (s[:, None] + 1e-5)\nn.sum().backward()\n"
)
ATTENTION = (
    "attn = torch.nn.MultiheadAttention(embed_dim=1, num_heads=1)\nx = torch.rand(2, 2, 1)\n"
    "pad = torch.tensor([[False, False], [True, True]])\nout, w = attn(x, x, x, key_padding_mask=pad)\n"
    "out[:, 0].sum().backward()\n"
)
COUNT = (
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, k):\n        ctx.k = k\n"
    "        return x * k\n    @staticmethod\n    def backward(ctx, g):\n        return g * ctx.k\n"
    "x = torch.ones(2, requires_grad=True)\nF.apply(x, 3.0).sum().backward()\n"
)
STATE = (
    "lstm = torch.nn.LSTM(2, 3)\nstate = None\nfor i in range(3):\n"
    "    out, state = lstm(torch.ones(4, 1, 2), state)\n    out.sum().backward()\n"
)


@pytest.mark.parametrize(
    ("body", "key", "about", "cause", "line", "fix"),
    [
        (ARGMAX, "grad_none", "net.weight", "argmax at line 4 makes int64 numbers of out", 4, "from scores instead of"),
        (STD, "nonfinite", "h.weight", "by std at line 4 in element [0]", 4, "correction=0"),
        (STD, "nonfinite", None, "by std at line 4 in element [0]", 4, "correction=0"),
        (ATTENTION, "nonfinite", None, "by softmax at line 5 in element [1, 0, 0], of infinities", 5, "unmasked"),
        (COUNT, "error", None, "one gradient for each argument of forward(), 2 in all, and returned 1", 11, "None for"),
        (STATE, "error", None, "MkldnnRnnLayerBackward0, made at line 5, let go of its saved tensors", 6, "detach()"),
        (STATE, "memory", None, "state[0], bound at line 5, has a history that reaches back", 5, "for part in state"),
    ],
)
def test_the_answer(why: Why, body: str, key: str, about: str | None, cause: str, line: int, fix: str) -> None:
    """It has the expected cause, line and fix."""
    found = why(body, key, about)
    assert cause in found.cause
    assert line in found.lines
    assert fix in found.fix
