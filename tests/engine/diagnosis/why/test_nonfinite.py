"""Protects answers where the first NaN or infinity comes from: the pass, the op, the element and its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, ask, questions

Why = Callable[..., Any]


@pytest.mark.parametrize(
    ("body", "op", "operands"),
    [
        ("y = torch.log(x)\nz = y * 2\n", "log at line 4 in element [1]", "x is 0: the result is -inf"),
        ("y = 1 / x\nz = y + 1\n", "reciprocal at line 4 in element [1]", "x is 0: the result is inf"),
        ("y = (x * 100).exp()\nz = y - y\n", "exp at line 4 in element [0]", "is 200: the result is inf"),
        ("y = torch.sqrt(x - 1)\nz = y + 1\n", "sqrt at line 4 in element [1]", "is -1: the result is nan"),
    ],
)
def test_in_the_forward_pass(why: Why, body: str, op: str, operands: str) -> None:
    """The answer names the op that made it of finite numbers."""
    for about in ("z", None):
        found = why(f"x = torch.tensor([2.0, 0.0], requires_grad=True)\n\n{body}", "nonfinite", about)
        assert f"made in the forward pass by {op}" in found.cause
        assert operands in found.evidence[0].text
        assert 4 in found.lines
        assert found.wrong_fix or "sqrt" in op


@pytest.mark.parametrize("about", ["x", "y", None])
def test_in_place_through_another(why: Why, about: str | None) -> None:
    """The answer names the op that changed the memory, with its arguments before, for every tensor over it."""
    found = why("x = torch.zeros(3)\ny = x.data\ny.div_(x)\n", "nonfinite", about)
    assert found.cause.startswith("The first NaN is made in the forward pass by div_ at line 4 in element [0]")
    assert "y is 0 and x is 0: the result is nan" in found.evidence[0].text


def test_in_the_middle_of_an_op_in_place(record: Callable[..., Any]) -> None:
    """Its memory has changed, and the event of the op is yet to come."""
    tape = Tape(record("x = torch.zeros(3)\ny = x.data\ny.div_(x)\n").events)
    (maker,) = tape.odd
    for name in ("x", "y"):
        found = ask(tape, maker.seq + 1, "nonfinite", Subject(tensor=tape.find(name, tape.seq)))
        assert "made in the forward pass by div_ at line 4" in found.cause
    assert ask(tape, maker.seq, "nonfinite", Subject()).lines[0] == 4


def test_data_that_comes_with_nan(why: Why) -> None:
    """The answer names the line that made the tensor with it."""
    found = why("x = torch.tensor([1.0, float('nan')])\n\ny = x * 2\n", "nonfinite", "y")
    assert found.cause.startswith("x was made with NaN in it, by tensor at line 2")


@pytest.mark.parametrize(
    ("loss", "node", "words"),
    [
        ("x.sqrt().sum()", "SqrtBackward0", "the derivative is infinite"),
        ("(x.sqrt() * 0).sum()", "SqrtBackward0", "0 × inf = nan"),
        ("x.norm()", "LinalgVectorNormBackward0", None),
        ("(x / x.abs().clamp(min=0)).nansum()", "DivBackward0", "nan"),
    ],
)
def test_in_the_backward_pass(why: Why, record: Callable[..., Any], loss: str, node: str, words: str | None) -> None:
    """The answer names the node that got finite gradients and sent one that is not, and its numbers."""
    source = f"x = torch.tensor([0.0, 4.0], requires_grad=True)\nloss = {loss}\nloss.backward()\n"
    if words is None:  # Here PyTorch gives a finite gradient, and there is no question.
        assert "NaN" not in record(source).stdout
        return
    found = why(source, "nonfinite", "x")
    assert f"made in the backward pass by {node}" in found.cause
    assert words in found.cause
    assert {3, 4} <= set(found.lines)
    assert "element [0]" in found.evidence[0].text
    assert found.wrong_fix


def test_a_factor_of_zero_is_no_mask(why: Why) -> None:
    """A term that is multiplied by 0 as a whole is not masked."""
    found = why(
        "x = torch.tensor([0., 4.], requires_grad=True)\nh = x * 1\ny = (h.sqrt() * 0).sum()\ny.backward()\n",
        "nonfinite",
        "x",
    )
    assert "MulBackward0 at line 4 multiplied by 0 there" in found.cause
    assert "select" not in found.cause
    assert "0 times infinity is NaN" in (found.wrong_fix or "")


def test_a_mask_that_is_a_product(why: Why) -> None:
    """Multiplying by a mask does not help: the answer names the masked node."""
    source = "x = torch.tensor([0.0, 1.0], requires_grad=True)\ny = torch.sqrt(x) * (x > 0)\ny.sum().backward()\n"
    found = why(source, "nonfinite", "x")
    assert "MulBackward0 at line 3 does not select that element" in found.cause
    assert "multiplying by a mask" in found.wrong_fix


def test_a_loss_that_is_not_finite(why: Why) -> None:
    """The NaN of the gradient comes from the forward pass."""
    source = "x = torch.tensor([0.0], requires_grad=True)\nloss = (x / x).sum()\nloss.backward()\n"
    assert "div at line 3" in why(source, "nonfinite", None).cause


HEAD = "import torch\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    ("body", "about", "cause", "fix"),
    [
        (
            "s = torch.zeros(2, 2, requires_grad=True)\nm = torch.tensor([[True, True], [False, True]])\n"
            "a = s.masked_fill(m, float('-inf')).softmax(-1)\n",
            "a",
            "The first NaN is made in the forward pass by softmax at line 5 in element [0, 0], of infinities. "
            "masked_fill at line 5 put them in.",
            "unmasked",
        ),
        (
            "x = torch.tensor([100.0, 1.0])\ne = x.exp()\np = e / e.sum()\n",
            "p",
            "made in the forward pass by exp at line 4 in element [0], of finite numbers.",
            "Subtract the largest",
        ),
        ("x = torch.ones(1)\ns = x.std()\n", "s", "by std at line 4, of finite numbers", "correction=0"),
        ("x = torch.ones(2)\ns = x[x > 3].mean()\n", "s", "by mean at line 4, of finite numbers", "An empty tensor"),
        (
            "x = torch.zeros(2, 3)\ns = F.cross_entropy(x, torch.tensor([-100, -100]))\n",
            "s",
            "by nll_loss at line 4",
            "ignore_index",
        ),
    ],
)
def test_nan_of_infinities(why: Why, body: str, about: str, cause: str, fix: str) -> None:
    """NaN is followed before infinities, and an infinity on purpose is not named as the cause."""
    for subject in (about, None):
        found = why(body, "nonfinite", subject, head=HEAD)
        assert cause in found.cause
        assert fix in found.fix


def test_what_made_nan_of_an_infinity(why: Why) -> None:
    """The answer names it, though the infinity came first."""
    found = why("x = torch.tensor([100.0, 1.0])\ne = x.exp()\np = e / e.sum()\n", "nonfinite", "p")
    assert "div at line 4 made NaN of it: inf / inf has no value. p has it from there." in found.cause


@pytest.mark.parametrize(
    "mask",
    [
        "s.masked_fill(torch.tensor([True, False]), float('-inf'))",
        "s + torch.tensor([float('-inf'), 0.0])",
        "torch.where(torch.tensor([True, False]), float('-inf'), s)",
        "s + torch.full((2, 2), float('-inf')).triu(1)",
    ],
)
def test_masks_alone(record: Callable[..., Any], mask: str) -> None:
    """Infinities that softmax turns into 0 are no mistake: no question is offered, and its answer says so."""
    tape = Tape(
        record(f"s = torch.zeros(2, requires_grad=True)\na = ({mask}).softmax(-1)\na.sum().backward()\n").events
    )
    assert questions(tape, tape.seq, Subject()) == []
    found = ask(tape, tape.seq, "nonfinite", Subject())
    assert "was given an infinity and put it in; no NaN came of it" in found.cause
    assert found.fix.startswith("Nothing to mend")


def test_a_mask_before_a_real_infinity(record: Callable[..., Any]) -> None:
    """An infinity after a mask has a question."""
    body = "m = torch.zeros(2).masked_fill(torch.tensor([True, False]), float('-inf')).softmax(0)\ny = torch.log(m)\n"
    tape = Tape(record(body).events)
    assert [one.key for one in questions(tape, tape.seq, Subject())] == ["nonfinite"]
    assert "by log at line 3" in ask(tape, tape.seq, "nonfinite", Subject()).cause


def test_one_question_for_one_number(record: Callable[..., Any]) -> None:
    """A gradient with NaN has its own question, and none about its value."""
    tape = Tape(record("x = torch.zeros(2, requires_grad=True)\n(x.sqrt() * 0).sum().backward()\n").events)
    about = Subject(tensor=tape.find("x", tape.seq))
    assert [one.key for one in questions(tape, tape.seq, about)] == ["nonfinite"]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (
            "a = torch.zeros(2, 1, 1)\ny = a / torch.tensor([[[1.0]], [[0.0]]])\n",
            "element [1, 0, 0]: 0 ÷ 0, where a is 0",
        ),
        ("x = torch.tensor([2.0, 0.0])\ny = torch.log(x)\n", "element [1]: log(0), where x is 0: the result is -inf"),
        ("x = torch.tensor([2.0, -1.0])\ny = x.sqrt()\n", "element [1]: sqrt(-1), where x is -1"),
        ("z = torch.ones(2, 1)\ny = z.std(dim=1)\n", "element [0]: z[0, :] is [1]: the result is nan"),
        (
            "s = torch.zeros(2, 2)\ns[1] = float('-inf')\ny = s.softmax(1)\n",
            "element [1, 0]: s[1, :] is [-inf, -inf]: the result is nan",
        ),
    ],
)
def test_the_element_that_made_it(why: Why, body: str, cause: str) -> None:
    """The evidence of a NaN is the element or the row that made it, and the computation."""
    assert cause in why(body, "nonfinite").evidence[0].text


def test_one_element_is_evidence_going_backward(why: Why) -> None:
    """The evidence has one element, not all with a NaN."""
    found = why("x = torch.zeros(4, requires_grad=True)\n(x.sqrt() * 0).sum().backward()\n", "nonfinite", "x")
    assert [one.text for one in found.evidence] == ["element [0]: 0 came, nan was sent"]


@pytest.mark.parametrize(
    ("loss", "cause"),
    [
        (
            "((x - 1) ** 2).sum().sqrt()",
            "by SqrtBackward0, of sqrt at line 3: .* PowBackward0 at line 3 made NaN of it",
        ),
        ("(x * 0 + torch.log(x * 0) * 0 * x).sum()", "by log at line 3 in element .* x.grad has it from there"),
        ("((x - x.mean()) / x.std()).sum()", "DivBackward0, of div at line 3.* AccumulateGrad.* made NaN of it"),
        (
            "torch.softmax(x + torch.full((2,), float('-inf')), 0).sum()",
            "by softmax at line 3 in element .*, of infinities. full at line 3 put them in.* x.grad has it",
        ),
        ("(torch.tensor([1.0, float('nan')]) * x).sum()", "was made with NaN in it, by tensor at line 3"),
        ("torch.log(torch.exp(x)[1] / torch.exp(x * 200).sum())", "goes back to the forward pass, where exp at line 3"),
        (
            "-(x * torch.log(x)).sum()",
            "by LogBackward0, of log at line 3 in element .* MulBackward0 at line 3 multiplied by 0",
        ),
    ],
)
def test_a_gradient_is_nan(why: Why, loss: str, cause: str) -> None:
    """The answer has the origin: a node that made NaN of an infinity, or the forward pass."""
    first = 0.0 if "x * torch.log(x)" in loss else 1.0
    source = f"x = torch.tensor([{first}, 1.0], requires_grad=True)\nloss = {loss}\nloss.backward()\n"
    found = why(source, "nonfinite", "x")
    assert re.search(cause, found.cause), found.cause


def test_a_hook_that_returns_nan(why: Why) -> None:
    """The answer names it with its argument, and not the gradient that the pass started from."""
    source = (
        "w = torch.ones(2, requires_grad=True)\ny = w * 2\ny.register_hook(lambda g: g / 0 * 0)\ny.sum().backward()\n"
    )
    found = why(source, "nonfinite", "w")
    assert found.cause.startswith("The hook <lambda> at line 5 returned [nan, nan], with NaN in it")
    assert "[1, 1], which was finite" in found.cause
    assert "backward pass by div at line 4" in why(source, "nonfinite").cause


def test_backward_of_a_function(why: Why) -> None:
    """The answer names the op in the Function's backward()."""
    source = (
        "class Root(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        return x.sqrt()\n    @staticmethod\n"
        "    def backward(ctx, g):\n        (x,) = ctx.saved_tensors\n        return g / (2 * x.sqrt())\n"
        "w = torch.zeros(2, requires_grad=True)\nRoot.apply(w).sum().backward()\n"
    )
    found = why(source, "nonfinite", "w")
    assert "made in the backward pass by div at line 10 in element [0]" in found.cause
    assert "RootBackward ran it. w.grad has it from there." in found.cause


@pytest.mark.parametrize(
    ("optimizer", "grad", "cause", "fix"),
    [
        (
            "SGD([w], lr=1e39)",
            "1.0",
            "SGD.step() at line 5, step 1, made the first infinity in w",
            "smaller learning rate",
        ),
        ("Adam([w], lr=0.1, eps=0)", "0.0", "Adam.step() at line 5, step 1, made the first NaN in w", "eps"),
        ("SGD([w], lr=0.1)", "float('nan')", "SGD.step() at line 5 brought it from there into w", "data"),
    ],
)
def test_a_step_of_an_optimizer(why: Why, optimizer: str, grad: str, cause: str, fix: str) -> None:
    """The step put the NaN into the parameter, or the gradient that it used."""
    source = (
        f"w = torch.ones(2, requires_grad=True)\no = torch.optim.{optimizer}\n"
        f"(w * torch.tensor([1.0, {grad}])).sum().backward()\no.step()\ny = w + 1\n"
    )
    for about in ("w", "y"):
        found = why(source, "nonfinite", about)
        assert cause in found.cause
        assert fix in found.fix
        assert 5 in found.lines


@pytest.mark.parametrize("update", ["w.data -= 0.1 * g", "with torch.no_grad(): w -= 0.1 * g"])
@pytest.mark.parametrize("call", ["g, = torch.autograd.grad(loss, w)", "g = torch.autograd.grad(loss, [w])[0]"])
def test_an_update_by_what_autograd_grad_gave(why: Why, update: str, call: str) -> None:
    """It is followed to where the gradient stopped being finite, as with backward()."""
    source = f"w = torch.tensor([1.0, 0.5], requires_grad=True)\nloss = (w - 1).abs().sqrt().sum()\n{call}\n{update}\n"
    for about, end in (("g", " g has it from there."), ("w", " g has it from there. w has it from there.")):
        found = why(source, "nonfinite", about)
        assert "made in the backward pass by SqrtBackward0, of sqrt at line 3 in element [0]" in found.cause
        assert found.cause.endswith(end)


@pytest.mark.parametrize("then", ["w.grad = None", "w.grad.zero_()", "pass"])
def test_an_update_by_hand(why: Why, then: str) -> None:
    """A NaN from `w -= lr * w.grad` is followed to where the gradient stopped being finite."""
    source = f"""\
w = torch.tensor([1.0, 0.5], requires_grad=True)
for step in range(2):
    loss = (w - 1).abs().sqrt().sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    {then}
y = w * 2
"""
    for about in ("w", "y"):
        found = why(source, "nonfinite", about)
        assert "made in the backward pass by SqrtBackward0, of sqrt at line 4 in element [0]" in found.cause
        assert "w.grad has it from there." in found.cause
        assert found.cause.endswith({"w": "w has it from w.grad.", "y": "y has it from there."}[about])


def test_a_transform_has_its_public_name(why: Why) -> None:
    """The arguments of a Fourier transform decide its name."""
    found = why("x = torch.tensor([0.0, 1.0])\n\ny = torch.fft.ifft(torch.complex(1 / x, x))\n", "nonfinite", "y")
    assert "fft.ifft at line 4 made NaN of it" in found.cause
