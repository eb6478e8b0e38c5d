"""Protects the diagnosis of each kind of error: its cause, the lines that led to it, and the fix."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, ask, questions
from backscope.protocol import events as ev


def diagnosis(run: Any) -> Any:
    """Return the diagnosis of the error that ended a program."""
    (error,) = [e for e in run.of(ev.ErrorRaised) if e.stage == "program"]
    assert error.diagnosis is not None
    return error.diagnosis


def test_second_backward(record: Callable[..., Any]) -> None:
    """It names the node, the line that made it, the line that freed it, and the line that needs it again."""
    run = record("x = torch.tensor(2.0, requires_grad=True)\ny = x * x\n\ny.backward()\n\ny.backward()\n")
    found = diagnosis(run)
    assert found.lines == [3, 5, 7]
    assert found.nodes == [run.node("MulBackward0").node]
    assert found.cause == (
        "MulBackward0, made at line 3, let go of its saved tensors when the graph ran backward at line 5; this pass "
        "needs them again."
    )
    assert "retain_graph=True" in found.fix


def test_changed_input(record: Callable[..., Any]) -> None:
    """It names the node that saved an input, the line of that, and the line that changed the input in place."""
    run = record("x = torch.ones(2, requires_grad=True)\na = x * 1\nb = a * a\n\na.add_(1)\nb.sum().backward()\n")
    found = diagnosis(run)
    assert found.lines == [4, 6, 7]
    assert found.tensors == [run.named("a")]
    assert found.cause.startswith("MulBackward0 saved a as _saved_")
    assert "at line 4, and an in-place operation changed it at line 6" in found.cause


def test_changed_result(record: Callable[..., Any]) -> None:
    """It names the op's own result that changed in place."""
    run = record("x = torch.ones(2, requires_grad=True)\ny = x.exp()\n\ny += 1\ny.sum().backward()\n")
    found = diagnosis(run)
    assert found.lines == [3, 5, 6]
    assert "ExpBackward0 saved its result y as _saved_result at line 3" in found.cause


def test_changed_through_a_view(record: Callable[..., Any]) -> None:
    """The line of the change is found when it went through another view of the same storage."""
    run = record("x = torch.ones(2, requires_grad=True)\na = x * 1\nb = a.sin()\n\na[0] = 5.0\nb.sum().backward()\n")
    assert diagnosis(run).lines == [4, 6, 7]


def test_not_a_scalar(record: Callable[..., Any]) -> None:
    """It names the shape that gradient= needs."""
    run = record("x = torch.ones(2, 3, requires_grad=True)\ny = x * 2\ny.backward()\n")
    found = diagnosis(run)
    assert (found.lines, found.tensors) == ([4], [run.named("y")])
    assert "this tensor has shape [2, 3]" in found.cause
    assert "gradient= with shape [2, 3]" in found.fix


def test_no_history(record: Callable[..., Any]) -> None:
    """It names the tensor without a history and the line that made it."""
    run = record("x = torch.ones(2)\nloss = x.sum()\n\nloss.backward()\n")
    found = diagnosis(run)
    assert (found.lines, found.tensors) == ([3, 5], [run.named("loss")])
    assert found.cause.startswith("No history leads to loss, made at line 3")


def test_leaf_in_place(record: Callable[..., Any]) -> None:
    """It names the leaf, also when the change went through a view of it."""
    for change in ("w.add_(1)", "w[0] = 1.0"):
        run = record(f"w = torch.ones(2, requires_grad=True)\n\n{change}\n")
        found = diagnosis(run)
        assert (found.lines, found.tensors) == ([2, 4], [run.named("w")])
        assert found.cause.startswith("w is a leaf that requires grad")
        assert "torch.no_grad()" in found.fix


def test_wrong_gradient(record: Callable[..., Any]) -> None:
    """It names both shapes."""
    run = record("x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.backward(torch.ones(3))\n")
    found = diagnosis(run)
    assert "gradient= has shape [3]" in found.cause and "has shape [2]" in found.cause
    assert found.fix == "Pass a gradient of shape [2]."


def test_errors_of_the_program_have_none(record: Callable[..., Any]) -> None:
    """An error that is not the engine's has no diagnosis."""
    (error,) = record("1 / 0\n").of(ev.ErrorRaised)
    assert error.diagnosis is None


@pytest.mark.parametrize("call", ["backward(e)", "backward(e, torch.ones(5))", "grad(e, x, torch.ones(5))"])
def test_pass_that_starts_from_an_edge(record: Callable[..., Any], call: str) -> None:
    """Only the shape of an edge's tensor is known: the error has a diagnosis all the same."""
    run = record(
        "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ne = torch.autograd.graph.get_gradient_edge(y)\n"
        f"torch.autograd.{call}\n"
    )
    found = diagnosis(run)
    assert "shape [2]" in found.cause
    assert found.tensors == []
    assert found.lines == [5]


@pytest.mark.parametrize(
    "body",
    [
        "backscope = 5",
        "backscope = ('not_scalar', {})",
        "def __getattr__(self, name):\n        raise RuntimeError(name)",
    ],
)
def test_errors_with_any_attribute(record: Callable[..., Any], body: str) -> None:
    """An exception of the program's that has every attribute is recorded like others."""
    (error,) = record(f"class Own(Exception):\n    {body}\nraise Own('told')\n").of(ev.ErrorRaised)
    assert (error.type, error.message, error.diagnosis) == ("Own", "told", None)


def test_a_parameter_changed_by_an_optimizer_names_its_step(record: Callable[..., Any]) -> None:
    """It names the line of step(), and the fix is about the order of step and backward."""
    run = record(
        "w = torch.ones(2, requires_grad=True)\n"
        "opt = torch.optim.SGD([w], lr=0.1)\n"
        "loss = (w * w).sum()\n"
        "loss.backward(retain_graph=True)\n"
        "opt.step()\n"
        "loss.backward()\n"
    )
    found = diagnosis(run)
    assert found.lines == [4, 6, 7]
    assert "SGD.step()" in found.cause and "before step()" in found.fix


def test_layer_of_other_features(record: Callable[..., Any]) -> None:
    """For a layer with another number of features it names the weight by its path, and both numbers."""
    source = "net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(6, 2))\n\nnet(torch.ones(5, 4))\n"
    found = diagnosis(record(source))
    assert found.cause == ("net.1.weight of shape [2, 6] takes 6 features, and the input of shape [5, 8] comes with 8.")
    assert "in_features=8" in found.fix


def test_factors_that_do_not_fit(record: Callable[..., Any]) -> None:
    """For two matrices with different inner lengths it names both lengths, and the lines that made them."""
    run = record("a = torch.ones(2, 3)\nb = torch.ones(4, 5)\n\na @ b\n")
    found = diagnosis(run)
    assert found.lines == [2, 3, 5]
    assert found.tensors == [run.named("a"), run.named("b")]
    assert "a of shape [2, 3] has 3 columns, b of shape [4, 5] has 4 rows" in found.cause


@pytest.mark.parametrize(
    "call", ["torch.ones(2).cuda()", "torch.ones(2, device='cuda')", "torch.cuda.current_device()"]
)
def test_cuda(record: Callable[..., Any], call: str) -> None:
    """It says that there is no CUDA, and how a program runs without it."""
    assert "torch.cuda.is_available()" in diagnosis(record(f"{call}\n")).fix


REFUSED = [
    ("torch.autograd.grad((w * 2).sum(), v)", "was not computed from v", [3, 6], "allow_unused=True"),
    ("torch.autograd.grad((w * 2).sum(), plain)", "plain, made at line 4, does not require grad", [4, 6], "next"),
    ("c = torch.ones(1, dtype=torch.complex64, requires_grad=True)\nc.sum().backward()", "complex", [7], ".real"),
    ("h = w * 2\nh.requires_grad = False", "h was computed at line 6", [6, 7], "detach()"),
    ("torch.tensor([1, 2]).requires_grad_()", "whole numbers", [6], ".float()"),
    ("w.numpy()", "numpy knows no history", [2, 6], "detach()"),
    ("import copy\ncopy.deepcopy(w * 2)", "copy of its whole history", [7], None),
    ("torch.optim.SGD([w * 2], lr=0.1)", "An optimizer changes leaves", [6], "retain_grad()"),
    ("with torch.inference_mode():\n    i = w * 2\nw * i", "i, made at line 7 in inference mode", [7, 8], "detach()"),
    ("plain.register_hook(print)", "no gradient will ever come", [4, 6], "requires_grad_()"),
    ("plain.retain_grad()", "no gradient will ever come", [4, 6], "requires_grad_()"),
    ("w.grad = torch.ones(3)", "the shapes have to be the same", [2, 6], ".data"),
    (
        "checkpoint(torch.sin, w, use_reentrant=True).sum().backward(inputs=[w])",
        "use_reentrant=True",
        [6],
        "backward()",
    ),
    ("w.exp().floor_divide(2.0).sum().backward()", "no derivative", [6], "create_graph"),
]


@pytest.mark.parametrize(("body", "cause", "lines", "wrong"), REFUSED)
def test_what_autograd_refuses(
    record: Callable[..., Any], body: str, cause: str, lines: list[int], wrong: str | None
) -> None:
    """It gives the reason, the line that made the tensor, and the fix that does not help."""
    head = (
        "import torch\nw = torch.ones(2, requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
        "plain = torch.ones(2)\nfrom torch.utils.checkpoint import checkpoint\n"
    )
    found = diagnosis(record(f"{body}\n", head=head))
    assert cause in found.cause
    assert found.lines == lines
    assert found.fix
    assert (wrong is None) == (found.wrong_fix is None)
    assert wrong is None or wrong in found.wrong_fix


def test_wrong_number_of_gradients(record: Callable[..., Any]) -> None:
    """It counts the gradients that the program's own backward() forgot."""
    source = (
        "class Twice(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x, y): return x * y\n"
        "    @staticmethod\n"
        "    def backward(ctx, g): return g\n"
        "x = torch.ones(1, requires_grad=True)\n"
        "Twice.apply(x, x).backward()\n"
    )
    found = diagnosis(record(source))
    assert "Twice" in found.cause and "2 in all, and returned 1" in found.cause


def test_only_what_was_saved_is_at_fault(record: Callable[..., Any]) -> None:
    """An in-place change of a tensor that no node saved is no error: x**2 saved x, and not its result."""
    run = record("x = torch.ones(2, requires_grad=True)\ny = x ** 2\ny.add_(1)\ny.sum().backward()\n")
    assert run.status == "ok"


REJECTED = [
    ("a + b", "a (line 2) has shape [2, 3], b (line 3) has shape [4]", [2, 3, 4]),
    ("torch.cat([a, b])", "Tensors must have same number of dimensions", [2, 3, 4]),
    ("torch.cat([a, a[:, :2]])", "cat() joins tensors along one dim", [2, 4]),
    ("torch.nn.Linear(3, 2)(a.double())", "holds float64 numbers, Linear.weight (line 4) holds float32", [4]),
    ("a.t().view(6)", "view() leaves the numbers where they are", [4]),
    ("a.reshape(4)", "The shape [4] does not hold 6 numbers. a (line 2) has shape [2, 3].", [2, 4]),
    ("a[5]", "Counting starts at 0", [2, 4]),
    ("bool(a > 0)", "want one number", [4]),
    ("torch.tensor([1, 2], requires_grad=True)", "Whole numbers", [4]),
    ("torch.nn.functional.cross_entropy(a, torch.tensor([0, 3]))", "There is no class 3", [4]),
    ("torch.nn.functional.cross_entropy(a, torch.tensor([0.0, 1.0]))", "holds whole numbers", [2, 4]),
    ("torch.nn.functional.binary_cross_entropy(b * 2, b)", "takes probabilities", [4]),
    ("torch.nn.Conv2d(3, 4, 3)(torch.ones(1, 1, 8, 8))", "made for 3 channels, and 1 came", [4]),
    ("torch.nn.BatchNorm1d(3)(a[:1])", "one example has no spread", [4]),
    ("torch.optim.SGD([], lr=0.1)", "given nothing to change", [4]),
    ("torch.ones(1).expand(3).add_(1)", "several elements are the same place", [4]),
    ("a.unbind()[0].mul_(2)", "none of them may be changed in place", [4]),
    (
        "(y := a * 2).register_hook(lambda g: g.sum()); y.sum().backward()",
        "replaces a gradient by one of the same size",
        [4],
    ),
    ("torch.multinomial(-b, 1)", "Probability tensor contains", [4]),
]


@pytest.mark.parametrize(("call", "cause", "lines"), REJECTED)
def test_what_ops_reject(record: Callable[..., Any], call: str, cause: str, lines: list[int]) -> None:
    """Every error of an op comes with its arguments, their lines, and the fix."""
    run = record(f"a = torch.ones(2, 3, requires_grad=True)\nb = torch.ones(4)\n{call}\n")
    found = diagnosis(run)
    assert cause in found.cause
    assert set(lines) <= set(found.lines)
    assert found.fix
    assert "{" not in found.cause + found.fix and ".." not in found.cause


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("return g.expand(5)", "a gradient of shape [5] for input 0 of forward(), which has shape [3]"),
        ("return 2.0", "it returned a float"),
    ],
)
def test_what_a_function_returns(record: Callable[..., Any], body: str, cause: str) -> None:
    """A custom Function may return gradients of another shape, or none."""
    run = record(
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x.sum()\n"
        f"    @staticmethod\n    def backward(ctx, g):\n        {body}\n"
        "F.apply(torch.ones(3, requires_grad=True)).backward()\n"
    )
    assert cause in diagnosis(run).cause


def test_a_hook_that_raises_did_run(record: Callable[..., Any]) -> None:
    """Its error is the program's own, and there is no question why the hook did not run."""
    run = record(
        "def spoil(g):\n    raise ValueError('no')\ny = torch.ones(1, requires_grad=True) * 2\ny.register_hook(spoil)\n"
        "y.backward()\n"
    )
    tape = Tape(run.events)
    assert [one.key for one in questions(tape, tape.seq, Subject())] == ["error"]


def test_every_change_is_named(record: Callable[..., Any]) -> None:
    """Each change since the tensor was saved causes the error: the answer names all of them, with their modules."""
    run = record(
        "class Shift(torch.nn.Module):\n    def forward(self, x):\n        return x.add_(1)\n"
        "net = torch.nn.Sequential(torch.nn.Sigmoid(), Shift())\n"
        "y = net(torch.ones(2, requires_grad=True))\ny.mul_(2)\ny.sum().backward()\n"
    )
    tape = Tape(run.events)
    found = ask(tape, tape.seq, "error", Subject())
    assert [one.text for one in found.evidence] == ["add_ in net.1 at line 4 changed x", "mul_ at line 7 changed y"]
    assert {4, 6, 7, 8} <= set(found.lines)


def test_calls_without_an_end(record: Callable[..., Any]) -> None:
    """It names the functions that call one another, wherever the stack overflowed, and no other function."""
    deeper = "def deeper(x):\n    return deeper(x * 1)\ndeeper(torch.ones(1))\n"
    assert diagnosis(record(deeper)).cause.startswith("deeper() calls itself at line 3: ")
    found = diagnosis(record("def f(x):\n    return f(x) + 1\nf(torch.ones(2))\n"))
    assert re.match(r"f\(\) calls itself at line 3: \d[\d,]+ calls lie one within another", found.cause)
    assert 3 in found.lines
    assert "sys.setrecursionlimit()" in found.wrong_fix
    module = "class M(torch.nn.Module):\n    def forward(self, x):\n        return self(x)\nM()(torch.ones(2))\n"
    assert diagnosis(record(module)).fix.startswith("Within forward(), self(x) calls forward() again")
    turns = "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nf(torch.ones(2))\n"
    assert re.match(r"[fg]\(\), [fg]\(\) call one another", diagnosis(record(turns)).cause)
    (error,) = record("raise RecursionError('mine')\n").of(ev.ErrorRaised)
    assert error.diagnosis is None
