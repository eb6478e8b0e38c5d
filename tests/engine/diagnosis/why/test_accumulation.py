"""Protects answers why a gradient has its value: passes, uses, sums, hooks, kinks, second order, constant paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, ask, questions

Why = Callable[..., Any]


def test_one_pass(why: Why) -> None:
    """The answer has its line, its gradient and the node that sent it, and nothing to fix."""
    found = why("x = torch.tensor(2.0, requires_grad=True)\ny = x * 3\ny.backward()\n", "grad_value", "x")
    assert (
        found.cause
        == "x.grad is 3: in backward() at line 4, MulBackward0 of line 3 multiplies the incoming 1 by the saved 3."
    )
    assert found.lines == [4, 3]
    assert [(one.text, one.value) for one in found.evidence] == [
        ("backward() at line 4 gave 3", 3.0),
        ("MulBackward0 at line 3 sent 3", 3.0),
    ]
    assert found.fix.startswith("Nothing to mend")


def test_several_passes_each_with_its_line(why: Why) -> None:
    """The gradient is their sum since it was last empty."""
    source = (
        "x = torch.tensor(2.0, requires_grad=True)\n(x * 1).backward()\nx.grad = None\n"
        "(x * 3).backward()\n(x * 4).backward()\n"
    )
    found = why(source, "grad_value", "x")
    assert "sum of 2 gradients" in found.cause
    assert found.lines[:2] == [5, 6]
    assert [one.value for one in found.evidence[:2]] == [3.0, 4.0]
    assert "divide each loss by the number that is really summed, here 2" in found.fix
    assert "retain_graph" in found.wrong_fix


def test_several_uses(why: Why) -> None:
    """The answer has each op that used the tensor, with what it sent."""
    found = why("x = torch.tensor(2.0, requires_grad=True)\ny = x * 3 + x ** 2\ny.backward()\n", "grad_value", "x")
    assert "x is used 2 times" in found.cause
    assert {one.value for one in found.evidence[1:]} == {3.0, 4.0}
    assert found.cause.startswith("x.grad is 7: the sum of what 2 ops sent in backward() at line 4.")
    assert "added in that pass: 4 from PowBackward0 at line 3 and 3 from MulBackward0 at line 3." in found.cause


LEAF = "x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)\n"


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ("x.backward(torch.ones(2, 2))", "x.grad is [[1, 1], [1, 1]]: backward() at line 3 began at x itself"),
        ("(x + 1).sum().backward()", "AddBackward0 of line 3 got [[1, 1], [1, 1]] and passed it on"),
        (
            "(x * 2).t().sum().backward()",
            "MulBackward0 of line 3 multiplies the incoming gradient (norm 2) by the saved 2.",
        ),
        (
            "(x.t() * 2).sum().backward()",
            "(norm 2) by the saved 2, which comes here through TBackward0.",
        ),
        ("x.exp()[0, 0].backward()", "ExpBackward0 of line 3 multiplies the incoming gradient (norm 1) by the saved"),
        ("(x @ torch.eye(2)).sum().backward()", "MmBackward0 of line 3 multiplies the incoming gradient (norm 2) by"),
    ],
)
def test_what_one_pass_is_made_of(why: Why, loss: str, words: str) -> None:
    """The answer describes the op that sent it, with the numbers or the norm of its incoming gradient."""
    assert words in why(f"{LEAF}{loss}\n", "grad_value", "x").cause


def test_the_path_from_the_loss(why: Why) -> None:
    """The evidence has the gradient that arrived at each op on the path; of a large one the norm too."""
    source = "w = torch.ones(3, 4, requires_grad=True)\ny = (w * 2).tanh().pow(2)\ny.mean().backward()\n"
    found = why(source, "grad_value", "w")
    assert [one.text.partition("(norm")[0] for one in found.evidence[2:]] == [
        "TanhBackward0 at line 3 got [[0.1607, 0.1607, 0.1607, 0.1607], ...] ",
        "PowBackward0 at line 3 got [[0.08333, 0.08333, 0.08333, 0.08333], ...] ",
        "MeanBackward0 at line 4 got 1",
    ]
    assert "(norm 0.0" in found.cause and found.evidence[2].value == pytest.approx(0.5565, rel=1e-3)


def test_one_question_for_one_fact(record: Callable[..., Any]) -> None:
    """A gradient of zero has one question; ask() answers why it has its value all the same."""
    tape = Tape(record("x = torch.tensor(-1.0, requires_grad=True)\nx.relu().backward()\n").events)
    about = Subject(tensor=tape.find("x", tape.seq))
    assert [q.text for q in questions(tape, tape.seq, about)] == ["Why is x.grad zero?"]
    assert "x.grad is 0: " in ask(tape, tape.seq, "grad_value", about).cause


def test_a_dim_of_one_is_not_summed_over(why: Why) -> None:
    """Its gradient is not summed, as there is one copy."""
    source = "x = torch.ones(1, requires_grad=True)\n(x * torch.ones(1, 1) * 3).sum().backward()\n"
    found = why(source, "grad_value", "x")
    assert "summed" not in found.cause and "copies" not in found.fix


@pytest.mark.parametrize(
    ("make", "loss", "words"),
    [
        ("b = torch.zeros(2, requires_grad=True)", "(torch.ones(4, 2) + b).sum()", "shape [4, 2], 4 times over"),
        ("b = torch.zeros(3, 1, requires_grad=True)", "(torch.ones(3, 5) * b).sum()", "shape [3, 5], 5 times over"),
    ],
)
def test_broadcasting(why: Why, make: str, loss: str, words: str) -> None:
    """The gradient is summed over the broadcast dims."""
    found = why(f"{make}\n{loss}.backward()\n", "grad_value", "b")
    assert words in found.cause and "summed" in found.cause


KINKS = [
    ("torch.relu(x).sum()", "relu has a kink at 0, where its derivative is taken as 0 (element [1])"),
    ("x.abs().sum()", "abs has a kink at 0"),
    ("torch.maximum(x, torch.zeros(3)).sum()", "both sides are equal (element [1]), and each of them gets .5"),
    ("x.clamp(min=0).sum()", "just at the bound (element [1]), where the gradient passes in full"),
    ("torch.stack([x[2], x[2], x[0]]).max()", "2 elements tie at 1"),
    ("torch.stack([x[2], x[2], x[0]]).amax()", "amax() splits the gradient"),
    ("torch.stack([x[2], x[2], x[0]]).max(0).values", "max(dim) sends the whole gradient to the one"),
]


@pytest.mark.parametrize(("loss", "words"), KINKS)
def test_kinks_and_ties(why: Why, loss: str, words: str) -> None:
    """The answer has the derivative that PyTorch takes where there is no single one."""
    found = why(f"x = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)\n{loss}.backward()\n", "grad_value", "x")
    assert words in found.cause
    assert "subgradient" in found.fix


def test_away_from_kinks_there_is_no_evidence_of_one(why: Why) -> None:
    """Without a tie the answer mentions none."""
    source = (
        "x = torch.tensor([-1.0, 2.0], requires_grad=True)\n(x.relu() + x.abs() + x.clamp(0, 1)).sum().backward()\n"
    )
    assert "derivative" not in why(source, "grad_value", "x").cause


def test_a_hook_before_and_after(why: Why) -> None:
    """The answer has what arrived and what the hook returned."""
    source = (
        "def double(g):\n    return g * 2\nx = torch.ones(2, requires_grad=True)\nx.register_hook(double)\n"
        "(x * 3).sum().backward()\n"
    )
    assert "The hook double" in why(source, "grad_value", "x").cause
    assert "made [6, 6] of the [3, 3] that arrived" in why(source, "grad_value", "x").cause


def test_second_order(why: Why) -> None:
    """With create_graph=True the gradient has a history of its own, and a second backward() adds to it."""
    source = "x = torch.tensor(2.0, requires_grad=True)\n(x ** 3).backward(create_graph=True)\n"
    found = why(source, "grad_value", "x")
    assert "recorded the pass itself" in found.cause
    assert "autograd.grad" in found.fix and "second derivative" in found.wrong_fix


def test_a_path_that_counts_as_constant(why: Why) -> None:
    """With detach() on one of two paths the gradient is that of the other."""
    source = "x = torch.tensor(2.0, requires_grad=True)\ny = x * x.detach()\ny.backward()\n"
    found = why(source, "grad_value", "x")
    assert "Another way from x to the loss counts as constant: detach() at line 3" in found.cause


def test_a_truncated_recurrent_network(why: Why) -> None:
    """Each window's gradient stops at the detached state."""
    source = (
        "w = torch.tensor(0.5, requires_grad=True)\nh = torch.tensor(1.0)\n"
        "for i in range(4):\n    h = torch.tanh(h * w)\n    if i == 1:\n        h = h.detach()\nh.backward()\n"
    )
    found = why(source, "grad_value", "w")
    assert "detach() at line 7" in found.cause
    assert "w is used 2 times" in found.cause


def test_recomputation_changes_nothing(why: Why) -> None:
    """A checkpoint on the path does not change the answer."""
    source = (
        "from torch.utils.checkpoint import checkpoint\nx = torch.ones(2, requires_grad=True)\n"
        "def block(t):\n    return torch.sin(t * t)\ncheckpoint(block, x, use_reentrant=False).sum().backward()\n"
    )
    found = why(source, "grad_value", "x")
    assert "ran block at line 6 a second time" in found.cause


def test_an_assigned_gradient(why: Why) -> None:
    """The answer says that the program assigned it."""
    source = "x = torch.ones(2, requires_grad=True)\nx.grad = torch.full((2,), 3.0)\n"
    assert why(source, "grad_value", "x").cause == "x.grad is [3, 3] because the program assigned it."


def test_a_change_through_data_is_no_other_path(why: Why) -> None:
    """x.data.mul_() changes x itself: no path counts as constant."""
    found = why(
        "x = torch.tensor([1., 2.], requires_grad=True)\nx.data.mul_(3)\ny = (x * x).sum()\ny.backward()\n",
        "grad_value",
        "x",
    )
    assert "constant" not in found.cause and "[6, 12]" in found.cause


def test_a_factor_from_data_is_another_path(why: Why) -> None:
    """x * x.data leaves out half of the derivative."""
    found = why("x = torch.tensor(3., requires_grad=True)\ny = x * x.data\ny.backward()\n", "grad_value", "x")
    assert "Another way from x to the loss counts as constant: .data at line 3" in found.cause


@pytest.mark.parametrize("empty", ["x.grad.zero_()", "x.grad.fill_(0)", "x.grad.mul_(0)"])
def test_a_gradient_that_was_set_to_zero_in_place_starts_anew(why: Why, empty: str) -> None:
    """It is not the sum of all passes, and the answer names what emptied it after the last one."""
    source = f"x = torch.ones(2, requires_grad=True)\nfor i in range(3):\n    (x * 2).sum().backward()\n    {empty}\n"
    found = why(source, "grad_zero", "x")
    assert found.cause.endswith("at line 5 set x.grad to zero after the last backward().")
    again = why(f"{source}(x * 3).sum().backward()\n(x * 4).sum().backward()\n", "grad_value", "x")
    assert "sum of 2 gradients" in again.cause and "(lines 6 and 7)" in again.cause


def test_an_assigned_gradient_is_no_derivative(why: Why) -> None:
    source = "x = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\nx.grad *= 5\n"
    found = why(source, "grad_value", "x")
    assert found.cause == "x.grad is [10, 10] because the program assigned it." and "None" in found.fix


def test_ops_inside_a_custom_function_are_no_other_path(why: Why) -> None:
    """Its forward() is never recorded; only a value that leaves it other than as an output has no history."""
    source = (
        "kept = []\nclass Swish(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        s = torch.sigmoid(x)\n        kept.append(s)\n        ctx.save_for_backward(x, s)\n"
        "        return x * s\n"
        "    @staticmethod\n    def backward(ctx, g):\n        x, s = ctx.saved_tensors\n"
        "        return g * (s + x * s * (1 - s))\nw = torch.ones(2, requires_grad=True)\ny = Swish.apply(w * 2)\n"
    )
    assert "constant" not in why(f"{source}y.sum().backward()\n", "grad_value", "w").cause
    found = why(f"{source}(y + kept[0]).sum().backward()\n", "grad_value", "w")
    assert "sigmoid at line 6 ran inside forward() of a custom Function" in found.cause


def test_a_gradient_that_a_hook_made_is_not_the_derivative(why: Why) -> None:
    source = "x = torch.ones(2, requires_grad=True)\nx.register_hook(lambda g: g * 3)\n(x * 2).sum().backward()\n"
    found = why(source, "grad_value", "x")
    assert "as the hook left it" in found.fix and "Nothing to mend" not in found.fix


PENALTY = (
    "w = torch.tensor([1.0, 2.0], requires_grad=True)\nx = torch.ones(2, requires_grad=True)\n"
    "(g,) = torch.autograd.grad((w * x * x).sum(), x, create_graph={recorded})\n"
    "loss = (w * x).sum() + (g ** 2).sum()\nloss.backward()\n"
)


def test_a_penalty_of_a_gradient_without_a_history(why: Why) -> None:
    """The path through the gradient counts as constant, unless it is recorded."""
    found = why(PENALTY.format(recorded=False), "grad_value", "w")
    assert "g is a gradient, and the pass at line 4 that computed it recorded nothing" in found.cause
    assert "create_graph=True at line 4" in found.fix and 4 in found.lines
    assert "constant" not in why(PENALTY.format(recorded=True), "grad_value", "w").cause
    update = (
        "w = torch.ones(2, requires_grad=True)\nfor i in range(2):\n    w.grad = None\n    (w * w).sum().backward()\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n"
    )
    assert "constant" not in why(update, "grad_value", "w").cause


TRAINING = (
    "net = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n{change}\n"
    "for i in range(3):\n    opt.zero_grad()\n    net(torch.ones(1, 2)).sum().backward()\n    opt.step()\n"
)


def test_a_parameter_that_no_optimizer_was_given(why: Why) -> None:
    """zero_grad() is called, but for the earlier parameter."""
    stale = TRAINING.format(change="net.weight = torch.nn.Parameter(torch.zeros(1, 2))")
    found = why(stale, "grad_value", "net.weight")
    assert "SGD.step() at line 8 ran 3 times meanwhile and did not move net.weight" in found.cause
    assert found.fix.startswith("Make the optimizer after net.weight") and "Call zero_grad()" not in found.fix
    for change in ("pass", "opt.add_param_group({'params': [torch.zeros(1, requires_grad=True)]})"):
        assert "did not move" not in why(TRAINING.format(change=change), "grad_value", "net.weight").cause


def test_gradients_that_were_switched_off_for_good(why: Why) -> None:
    source = (
        "w = torch.ones(2, requires_grad=True)\ndef evaluate():\n    torch.set_grad_enabled(False)\n"
        "    return w.sum()\nevaluate()\ny = (w * 2).sum()\n"
    )
    found = why(source, "grad_none", "y")
    assert "ran under torch.no_grad(), in force since line 5, so that nothing" in found.cause
    assert "set_grad_enabled(False) without a with statement" in found.fix
