"""Protects answers why `.grad` is None: the reason, its lines and tensors, the fix, and the fix that does not help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import NotAsked, Subject, Tape, ask, questions

Why = Callable[..., Any]

CUTS = [
    ("h = (w * 2).detach()\nloss = (h * w2).sum()\n", 4, "detach()"),
    ("h = (w * 2).data\nloss = (h * w2).sum()\n", 4, ".data"),
    ("with torch.no_grad():\n    h = w * 2\nloss = (h * w2).sum()\n", 5, "torch.no_grad()"),
    ("with torch.inference_mode():\n    h = w * 2\nloss = (h.clone() * w2).sum()\n", 5, "inference mode"),
    ("h = (w * 2.3).sum().item()\nloss = (h * w2).sum()\n", 5, "plain numbers"),
    ("h = torch.tensor((w * 2.3).tolist())\nloss = (h * w2).sum()\n", 4, "plain numbers"),
    ("h = w.argmax()\nloss = (h * w2).sum()\n", 4, "int64"),
    ("h = (w > 0).float()\nloss = (h * w2).sum()\n", 4, "bool"),
    ("h = torch.zeros(2)\nh[0] = w[0].detach() * 2\nloss = (h * w2).sum()\n", 5, "detach()"),
]


@pytest.mark.parametrize(("body", "line", "word"), CUTS)
def test_the_first_cut_on_the_way_from_the_loss(why: Why, body: str, line: int, word: str) -> None:
    """The answer names its line and its kind, and the tensors on both sides."""
    leaves = "w = torch.tensor([1.0, 2.0], requires_grad=True)\nw2 = torch.ones(2, requires_grad=True)\n"
    found = why(f"{leaves}{body}loss.backward()\n", "grad_none", "w")
    assert found.cause.startswith("The way from loss back to w is cut: ")
    assert word in found.cause
    assert line in found.lines
    assert len(found.tensors) >= 2
    assert "requires_grad_()" in found.wrong_fix


def test_a_tensor_that_is_not_a_leaf(why: Why) -> None:
    """The answer has the gradient that passed through, both lines, and how to keep it."""
    found = why("x = torch.ones(2, requires_grad=True)\ny = x * 3\n(y * 2).sum().backward()\n", "grad_none", "y")
    assert found.lines == [3, 4]
    assert "the gradient [2, 2] passed through y" in found.cause
    assert "y.retain_grad()" in found.fix
    assert "detach()" in found.wrong_fix


def test_not_a_leaf_any_more(why: Why) -> None:
    """A parameter's name was bound to the result of an op: the earlier leaf has the gradient."""
    source = "w = torch.ones(2, requires_grad=True)\nw = w * 0.1\nw.sum().backward()\n"
    found = why(source, "grad_none", "w")
    assert "The leaf that was called w before at line 2 is another tensor" in found.cause


def test_no_backward_yet(why: Why) -> None:
    """The answer says that backward() has not been called."""
    found = why("w = torch.ones(2, requires_grad=True)\ny = (w * 2).sum()\n", "grad_none", "w")
    assert found.cause.startswith("backward() has not been called yet")
    assert "the loss from w" not in found.fix
    found = why("w = torch.ones(2, requires_grad=True)\n", "grad_none", "w")
    assert found.cause.endswith("No op has computed anything from w.") and "Compute the loss from w" in found.fix


@pytest.mark.parametrize(("body", "line", "word"), CUTS)
def test_no_backward_can_start(why: Why, body: str, line: int, word: str) -> None:
    """Where no result of a leaf has a history, the answer names where it was cut, and not a missing call."""
    body = body.replace("h * w2", "h * 2").replace("h.clone() * w2", "h.clone() * 2")
    found = why(f"w = torch.tensor([1.0, 2.0], requires_grad=True)\n\n{body}", "grad_none", "w")
    if word != "plain numbers":
        assert found.cause.startswith("No backward() has reached w, and none can from the last result of it")
        assert word in found.cause and line in found.lines
    assert "call backward() on the loss" in found.fix or found.fix.startswith("Call backward() on the loss")


def test_a_result_with_a_history_waits_for_backward(why: Why) -> None:
    """What is detached beside the loss, as to be printed, is not the reason."""
    source = "w = torch.ones(2, requires_grad=True)\ny = (w * 2).sum()\nright = (w.detach() > 0).sum()\n"
    assert why(source, "grad_none", "w").cause.startswith("backward() has not been called yet")


def test_autograd_grad_alone(why: Why) -> None:
    """autograd.grad() returns gradients and fills no .grad."""
    source = "w = torch.ones(2, requires_grad=True)\ng, = torch.autograd.grad((w * 2).sum(), w)\n"
    assert "returns gradients" in why(source, "grad_none", "w").cause


@pytest.mark.parametrize("clear", ["w.grad = None", "torch.optim.SGD([w], 0.1).zero_grad()"])
def test_emptied(why: Why, clear: str) -> None:
    """The answer has the line that emptied it, and the value before."""
    found = why(f"w = torch.ones(2, requires_grad=True)\n(w * 3).sum().backward()\n{clear}\n", "grad_none", "w")
    assert "was set to None" in found.cause
    assert "It was [3, 3]" in found.cause
    assert found.lines == [4, 3]


def test_inputs_exclude_it(why: Why) -> None:
    """The answer says that inputs= names other tensors."""
    source = (
        "a = torch.ones(1, requires_grad=True)\nb = torch.ones(1, requires_grad=True)\n(a * b).backward(inputs=[a])\n"
    )
    found = why(source, "grad_none", "b")
    assert "fills .grad of a alone" in found.cause
    assert found.lines == [4]


def test_undefined_gradient(why: Why) -> None:
    """A custom Function on the path returned None."""
    source = (
        "class F(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, p, q): return p * q\n"
        "    @staticmethod\n"
        "    def backward(ctx, g): return g, None\n"
        "a = torch.ones(1, requires_grad=True)\n"
        "b = torch.ones(1, requires_grad=True)\n"
        "c = b * 2\n"
        "F.apply(a, c).backward()\n"
    )
    found = why(source, "grad_none", "b")
    assert "FBackward, made at line 10, which returned no gradient for b" in found.cause
    assert "Zeros in place of None" in found.wrong_fix


def test_a_tensor_without_a_part_in_the_loss(why: Why) -> None:
    """The tensor was used for another loss, or not at all."""
    source = "w = torch.ones(1, requires_grad=True)\nv = torch.ones(1, requires_grad=True)\n{}v.backward()\n"
    assert "line 4) is no part of v" in why(source.format("h = w * 2\n"), "grad_none", "w").cause
    assert "No op used w" in why(source.format(""), "grad_none", "w").cause


def test_another_tensor_of_the_same_name(why: Why) -> None:
    """The loss was computed from another tensor than the optimizer's parameter."""
    source = (
        "w = torch.ones(2, requires_grad=True)\n"
        "old = w\n"
        "w = torch.zeros(2, requires_grad=True)\n"
        "loss = (w * 2).sum()\n"
        "loss.backward()\n"
    )
    recording = why.record(source)  # type: ignore[attr-defined]
    tape = Tape(recording.events)
    first = tape.bound["w"][0].tensor
    found = ask(tape, tape.seq, "grad_none", Subject(tensor=first))
    assert "another tensor of the name w, bound at line 4" in found.cause


@pytest.mark.parametrize(
    ("make", "word"),
    [("torch.ones(2)", "does not require grad"), ("torch.tensor([1, 2])", "int64"), ("torch.ones(2) * 2", "nothing")],
)
def test_requires_no_grad(why: Why, make: str, word: str) -> None:
    """The tensor was made without requires_grad."""
    assert word in why(f"w = {make}\n", "grad_none", "w").cause


def test_a_question_is_about_a_moment(why: Why) -> None:
    """The answers differ before the pass, after it, and after .grad was emptied."""
    recording = why.record("w = torch.ones(1, requires_grad=True)\nw.backward()\nw.grad = None\n")  # type: ignore[attr-defined]
    tape = Tape(recording.events)
    about = Subject(tensor=recording.named("w"))
    keys = [[q.key for q in questions(tape, e.seq, about)] for e in recording.events if e.seq >= 2]
    assert keys[0] == ["grad_none"]
    assert keys[-1] == ["grad_none"]
    assert any("grad_value" in now for now in keys)
    with pytest.raises(NotAsked, match="does not arise"):
        ask(tape, tape.seq, "grad_value", about)
    with pytest.raises(NotAsked, match="There is no question"):
        ask(tape, tape.seq, "meaning", about)
    with pytest.raises(NotAsked, match="no tensor 999"):
        questions(tape, tape.seq, Subject(tensor=999))


@pytest.mark.parametrize(
    ("body", "about", "cause", "fix"),
    [
        (
            "w = torch.tensor(1.0, requires_grad=True)\n((w - 3) ** 2).backward()\nw = w - 0.1 * w.grad\n"
            "((w - 3) ** 2).backward()\n",
            "w",
            "The leaf that was called w before at line 2 is another tensor",
            "with torch.no_grad(): w -= lr * w.grad",
        ),
        (
            "w = torch.randn(3, requires_grad=True) * 0.1\nw.sum().backward()\n",
            "w",
            "w is not a leaf",
            "w = (...).requires_grad_()",
        ),
        (
            "p = torch.nn.Parameter(torch.ones(2))\nq = torch.nn.Parameter(p * 2)\nq.sum().backward()\n",
            "p",
            "q, made at line 3, is a leaf of its own with the value of the result of mul at line 3",
            "Make the Parameter first",
        ),
        (
            "import copy\nm = torch.nn.Linear(2, 1)\nn = copy.deepcopy(m)\nn(torch.ones(1, 2)).sum().backward()\n",
            "m.weight",
            "n.weight, made at line 4, is a leaf of its own with the value of m.weight",
            "not a copy",
        ),
        (
            "w = torch.ones(2, requires_grad=True)\nw.requires_grad_(False)\n(w * 2).sum()\n",
            "w",
            "requires_grad of w was set to False at line 3",
            "w.requires_grad_()",
        ),
        (
            "w = torch.tensor([0.3, 0.7], requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
            "h = torch.tensor([(w[i] * 3).item() for i in range(2)])\n(h * v).sum().backward()\n",
            "w",
            "tensor at line 4 was given plain numbers that are the value of the result of mul at line 4",
            "Go on computing with the tensor itself",
        ),
        (
            "s = torch.tensor([1.0, 3.0], requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
            "v[s.argmax()].backward()\n",
            "s",
            "argmax at line 4 makes int64 numbers of s",
            "loss",
        ),
    ],
)
def test_where_the_history_is_lost(why: Why, body: str, about: str, cause: str, fix: str) -> None:
    """The answer names the call that lost the history, with a fix for it."""
    found = why(body, "grad_none", about)
    assert cause in found.cause
    assert fix in found.fix


@pytest.mark.parametrize(
    ("body", "cause", "line"),
    [
        (
            "m = torch.nn.Linear(2, 1)\nfor p in m.parameters():\n    p.requires_grad = False\n"
            "loss = m(torch.ones(1, 2)).sum()\n",
            "loss was computed from m.bias and m.weight, and requires_grad was set to False for them at line 4.",
            4,
        ),
        (
            "x = torch.ones(2)\nloss = (x * 2).sum()\n",
            "loss was computed from x (line 2): none of it requires grad.",
            2,
        ),
        (
            "w = torch.tensor([0.3, 0.7], requires_grad=True)\nparts = [(w[i] * 3).item() for i in range(2)]\n"
            "loss = torch.tensor(parts).sum()\n",
            "The history of loss ends before it begins: tensor at line 4 was given plain numbers",
            4,
        ),
        (
            "x = torch.tensor(2.0, requires_grad=True)\n(loss,) = torch.autograd.grad(x**3, x)\n",
            "loss is computed from a gradient, and that gradient has no history",
            4,
        ),
        ("loss = torch.tensor(2.5)\n", "loss, made at line 2 by tensor, begins there and does not require grad.", 2),
    ],
)
def test_a_loss_without_a_history(why: Why, body: str, cause: str, line: int) -> None:
    """The answer names the tensors that it was computed from, and the line that switched requires_grad off."""
    found = why(f"{body}loss.backward()\n", "error")
    assert cause in found.cause
    assert line in found.lines


def test_a_pass_that_could_not_begin(why: Why) -> None:
    """backward() was called on a tensor without a history: the answer says so, and not that it was never called."""
    source = "w = torch.ones(2, requires_grad=True)\nloss = (w * 2).detach().sum()\nloss.backward()\n"
    found = why(source, "grad_none", "w")
    assert found.cause.startswith("The way from loss back to w is cut: detach() at line 3")
    assert 4 in found.lines


BY_HAND = "loss = (w * w).sum()\ng, = torch.autograd.grad(loss, w)\nwith torch.no_grad():\n    w -= 0.1 * g\n"


@pytest.mark.parametrize(
    ("before", "line", "end"),
    [
        ("v = torch.ones(1, requires_grad=True)\nv.sum().backward()\n", 6, "no backward() has come by w."),
        ("(w * w).sum().backward()\nw.grad = None\n", 6, "come by w since .grad was set to None at line 4."),
    ],
)
def test_updates_by_what_autograd_grad_gave(why: Why, before: str, line: int, end: str) -> None:
    """autograd.grad() left .grad as it is, whatever other passes did."""
    found = why(f"w = torch.tensor(2.0, requires_grad=True)\n{before}{BY_HAND}", "grad_none", "w")
    assert found.cause.startswith(f"torch.autograd.grad() at line {line} returned the gradient of w, 4, and left")
    assert found.cause.endswith(end)
    assert line in found.lines


LEAVES = "w = torch.tensor([1.0, 2.0], requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
OVER_NONE = [
    ("w.grad.zero_()\n", "w.grad is None at line 4, and None has no zero_.", 4),
    ("w.grad.data\n", "w.grad is None at line 4, and None has no data.", 4),
    ("total = w.grad.norm() + 1\n", "w.grad is None at line 4, and None has no norm.", 4),
    ("(w\n .grad\n .clone())\n", "w.grad is None at line 6, and None has no clone.", 6),
    ("2 * w.grad\n", "w.grad is None at line 4, and nothing can be computed with None.", 4),
    ("w.data.sub_(w.grad)\n", "w.grad is None at line 4, and nothing", 4),
    ("w.grad[0]\n", "w.grad is None at line 4, and nothing", 4),
    ("torch.stack([p.grad for p in [w]])\n", "w.grad is None at line 4, and nothing", 4),
    ("sum(p.grad.norm() for p in [w])\n", "w.grad is None at line 4, and None has no norm.", 4),
    ("g = w.grad\ng.zero_()\n", "w.grad is None at line 5, and None has no zero_.", 5),
    ("class M: pass\nm = M()\nm.g = w.grad\nm.g.zero_()\n", "w.grad is None at line 7, and None has no zero_.", 7),
    ("d = {}\nd['g', 0] = w.grad\n2 * d['g', 0]\n", "w.grad is None at line 6, and nothing", 6),
    (
        "class M:\n    def __init__(self):\n        self.g = w.grad\n        self.g.zero_()\nM()\n",
        "w.grad is None at line 7, and None has no zero_.",
        7,
    ),
]


@pytest.mark.parametrize(("body", "cause", "line"), OVER_NONE)
def test_an_error_over_a_grad_that_is_none(why: Why, body: str, cause: str, line: int) -> None:
    """The place of the read gives the tensor, and the log gives the reason why its .grad is None."""
    found = why(LEAVES + body, "error")
    assert found.cause.startswith(cause)
    assert "backward() has not been called yet, and .grad is None until it is." in found.cause
    assert line in found.lines
    assert found.wrong_fix


def test_an_update_of_a_parameter_that_no_pass_reached(why: Why) -> None:
    """The answer names this one among several, and the usual fix that does not help."""
    body = "(v * 2).sum().backward()\nfor p in [v, w]:\n    p.data -= 0.1 * p.grad\n"
    found = why(LEAVES + body, "error")
    assert found.cause.startswith("w.grad is None at line 6")
    assert "No op used w, made at line 2, before backward() at line 4" in found.cause
    assert found.wrong_fix is not None
    assert found.wrong_fix.startswith("`if w.grad is not None` silences the error")
    assert found.lines == [2, 4, 6]


def test_emptied_before_it_is_there(why: Why) -> None:
    """Where .grad was only to be emptied, the fix is to assign None."""
    assert "w.grad = None asks for no gradient" in why(LEAVES + "w.grad.zero_()\n", "error").fix


@pytest.mark.parametrize(
    "body", ["x = None\nif w.grad is None:\n    x.foo()\n", "d = {0: w.grad, 1: None}\nd[1].foo()\n"]
)
def test_another_none_than_a_grad(record: Callable[..., Any], body: str) -> None:
    """A .grad that was read without effect is not named as the cause."""
    run = record(LEAVES + body)
    tape = Tape(run.events)
    assert [e.diagnosis for e in tape.errors] == [None]
