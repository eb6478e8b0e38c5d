"""Protects answers about an index beyond a list: its length and the index, without running the program's code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Why = Callable[..., Any]

CLASS = (
    "class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.sizes = [3, 4]\n"
    "    def forward(self, x):\n        for i in range(3):\n            x = x * self.sizes[i + 1]\n        return x\n"
    "M()(torch.ones(2))\n"
)


@pytest.mark.parametrize(
    ("body", "cause", "line"),
    [
        (
            "params = [torch.ones(2) for _ in range(3)]\nfor i in range(4):\n    print(params[i])\n",
            "params has 3 elements, and i is 3: counting starts at 0, so that the last one is params[2].",
            4,
        ),
        (CLASS, "self.sizes has 2 elements, and i + 1 is 2:", 8),
        ("losses = []\nprint(losses[-1])\n", "losses is empty, and the index is -1.", 3),
        ("t = (1, 2)\nprint(t[len(t)])\n", "t has 2 elements, and len(t) is 2:", 3),
        ("h = {'a': [1.0]}\nprint('é', h['a'][1])\n", "h['a'] has 1 element, and the index is 1:", 3),
        ("layers = torch.nn.ModuleList([torch.nn.ReLU()])\nlayers[1](torch.ones(1))\n", "layers has 1 element", 3),
        ("from collections import deque\nd = deque([1])\nd[2]\n", "d has 1 element, and the index is 2", 4),
    ],
)
def test_the_answer_has_the_length_and_the_index(why: Why, body: str, cause: str, line: int) -> None:
    found = why(body, "error")
    assert found.cause.startswith(cause)
    assert found.lines == [line] and "len(" in found.fix


@pytest.mark.parametrize(
    "body",
    [
        "class L(list):\n    def __len__(self):\n        raise SystemExit\nl = L()\nl[0]\n",
        "class P:\n    @property\n    def x(self):\n        print('asked')\n        return []\nP().x[0]\n",
        "[].pop()\n",
        "def f():\n    raise IndexError('of mine')\n[f()]\n",
        "f = lambda: []\nf()[0]\n",
    ],
)
def test_code_of_the_program_is_not_run_for_it(record: Any, why: Why, body: str) -> None:
    """Classes, properties and calls are not evaluated a second time."""
    assert record(body).stdout.count("asked") <= 1
    assert "IndexError at line" in why(body, "error").cause
