"""Protects breakpoints on the first NaN or infinity and on norms of gradients."""

from __future__ import annotations

import pytest
from breakpoint_stops import places


def test_the_first_bad_number() -> None:
    """The program stops where finite numbers give one, and the note names the op or node."""
    assert places({"on": "non_finite"}) == [(6, "moment", "The op log made a NaN or an infinity of finite numbers.")]
    source = "import torch\nx = torch.tensor([1.0, float('inf')])\ny = x * 2\nz = torch.ones(2)\nz[0] = float('nan')\n"
    assert [line for line, _, _ in places({"on": "non_finite"}, source=source)] == [2, 5]
    large = "import torch\nx = torch.full((4,), 3e38)\ny = x + 0\nn = torch.tensor(1e308, dtype=torch.float64) * 10\n"
    assert [line for line, _, _ in places({"on": "non_finite"}, source=large)] == [4]


def test_what_a_bad_number_spoils_does_not_stop() -> None:
    """Neither parameters that a NaN gradient changes stop, nor nodes that have saved NaN."""
    head = "import torch\nw = torch.tensor([0.0, 4.0], requires_grad=True)\n"
    by_hand = (
        "for i in range(3):\n    (w * w).sqrt().sum().backward()\n    with torch.no_grad():\n"
        "        w -= 0.1 * w.grad\n        w.mul_(0.9)\n    w.grad = None\n"
    )
    by_optimizer = (
        "for i in range(3):\n    (w * w).sqrt().sum().backward()\n    torch.optim.SGD([w], lr=0.1).step()\n"
        "    w.grad = None\n"
    )
    for loop in (by_hand, by_optimizer):
        found = places({"on": "non_finite"}, source=head + loop)
        assert found == [(4, "after node", "SqrtBackward0 made a NaN or an infinity of a finite gradient.")]
    another = "x = torch.zeros(2)\nx.log_()\n"
    assert [line for line, _, _ in places({"on": "non_finite"}, source=head + by_hand + another)] == [4, 10]


def test_nan_of_a_number() -> None:
    """A NaN that an op gets as a number begins there, in a hook too; an infinity may be a mask."""
    source = (
        "import torch\nw = torch.ones(2, requires_grad=True)\ny = w * 2\n"
        "y.register_hook(lambda g: g * float('nan'))\ny.sum().backward()\n"
    )
    assert places({"on": "non_finite"}, source=source) == [
        (4, "moment", "The op mul made a NaN of a number that is NaN.")
    ]
    assert places({"on": "non_finite"}, source="import torch\nx = torch.ones(2) - float('inf')\n") == []


def test_nan_of_infinities() -> None:
    """An op that gets a mask's infinity does not stop; the NaN that follows from it does."""
    source = (
        "import torch\ns = torch.zeros(2, requires_grad=True)\nm = torch.tensor([True, True])\n"
        "a = s.masked_fill(m, float('-inf'))\np = a.softmax(0)\nb = p + 1\n"
    )
    assert places({"on": "non_finite"}, source=source) == [(5, "moment", "The op softmax made a NaN of an infinity.")]
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n((x - 1) ** 2).sum().sqrt().backward()\n"
    assert [note for _, _, note in places({"on": "non_finite"}, source=source)] == [
        "SqrtBackward0 made a NaN or an infinity of a finite gradient."
    ]


def test_norms_of_gradients() -> None:
    """Norms above or below a bound stop, at nodes and at leaves."""
    source = "import torch\nw = torch.ones(4, requires_grad=True)\n(w * 3).sum().backward()\n"
    assert [note for _, _, note in places({"on": "gradient_norm", "above": 5}, source=source)] == [
        "The gradient of AccumulateGrad has norm 6."
    ]
    assert [note for _, _, note in places({"on": "gradient_norm", "below": 1.5}, source=source)] == [
        "The gradient of SumBackward0 has norm 1."
    ]


@pytest.mark.parametrize("size", [1e-25, 1.0, 1e25])
def test_norms_whose_squares_no_float32_holds(size: float) -> None:
    """Norms of arrays and of single numbers are compared without overflow."""
    for shape, norm in (("4", 2 * size), ("()", size)):
        source = f"import torch\nw = torch.ones({shape}, requires_grad=True)\n(w * {size}).sum().backward()\n"
        for bound, expected in (({"above": norm * 0.9}, True), ({"above": norm * 1.1}, False)):
            notes = [note for _, _, note in places({"on": "gradient_norm", **bound}, source=source)]
            assert (f"The gradient of AccumulateGrad has norm {norm:.6g}." in notes) is expected
        for bound, expected in (({"below": norm * 1.1}, True), ({"below": norm * 0.9}, False)):
            notes = [note for _, _, note in places({"on": "gradient_norm", **bound}, source=source)]
            assert (f"The gradient of AccumulateGrad has norm {norm:.6g}." in notes) is expected


GRADIENTS_THAT_CHANGE = {
    "fan-in": "x = w * 2\n(x * 3 + x * 40 + x.exp()).sum().backward()\n",
    "in its own memory": "x = w * 2\ny = x * 1\n(y.view(20, 20).t().reshape(400) + y * 300 + x).sum().backward()\n",
    "hook in place": "x = w * 2\nx.register_hook(lambda g: g.mul_(100))\n(x + 1).sum().backward()\n",
    "hook of a leaf": "w.register_hook(lambda g: g * 100)\nx = w * 2\n(x + w).sum().backward()\n",
    "hook of a leaf in place": "w.register_hook(lambda g: g.mul_(100))\n(w + (w + 1) * 1).sum().backward()\n",
    "Function in place": (
        "class Grow(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x * 1\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return g.mul_(1000)\n"
        "x = w * 1\n((Grow.apply(x) + x.sin()) * 2).sum().backward()\n"
    ),
    "passed on": "x = (w + 1).view(20, 20) + 0\n(x + 2).sum().backward()\n((w - 1) * 30).sum().backward()\n",
    "infinity": "x = w * 0\n(x.sqrt() + x).sum().backward()\n",
    "overflow": "(w * 3e38 * 10).sum().backward()\n",
}


@pytest.mark.parametrize("shape", ["400", "2", "()"])
@pytest.mark.parametrize("what", GRADIENTS_THAT_CHANGE)
def test_norms_and_non_finite_numbers_together(what: str, shape: str) -> None:
    """Both breakpoints together stop where each alone does, also where gradients change in place."""
    if shape != "400" and "view" in GRADIENTS_THAT_CHANGE[what]:
        pytest.skip("views a square")
    source = f"import torch\nw = torch.ones({shape}, requires_grad=True)\n" + GRADIENTS_THAT_CHANGE[what]
    non_finite = {"on": "non_finite"}
    for bound in ({"above": 50}, {"above": 1e30}, {"below": 45}, {"above": 900, "below": 25}):
        norm = {"on": "gradient_norm", **bound}
        alone = [*places(norm, source=source), *places(non_finite, source=source)]
        both = places(norm, non_finite, source=source)
        for line, where, note in alone:
            assert any(stop[:2] == (line, where) and note in (stop[2] or "") for stop in both), (note, both)
        assert len(both) <= len(alone)
