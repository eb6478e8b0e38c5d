"""Protects answers about decompositions and losses without a value or a derivative: the numbers, and a working fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Why = Callable[..., Any]

TIED = [
    ("x = torch.eye(3)", "_, v = torch.linalg.eigh(x)", "the eigenvalue 1 comes 3 times ([0], [1] and [2])"),
    ("x = torch.diag(torch.tensor([2.0, 2.0, 3.0]))", "_, v = torch.linalg.eigh(x)", "the eigenvalue 2 comes twice"),
    ("x = torch.eye(2)", "_, v = torch.linalg.eig(x)", "the eigenvalue 1 comes twice"),
    ("x = torch.eye(3)", "v, _, _ = torch.linalg.svd(x)", "the singular value 1 comes 3 times"),
    (
        "x = torch.stack([torch.diag(torch.tensor([1.0, 2.0])), torch.eye(2)])",
        "_, v = torch.linalg.eigh(x)",
        "of matrix 1",
    ),
]


@pytest.mark.parametrize(("made", "op", "cause"), TIED)
def test_repeated_values(why: Why, made: str, op: str, cause: str) -> None:
    """The answer has the repeated values and says that their vectors are not unique."""
    body = f"{made}.requires_grad_()\n{op}\nv.abs().sum().backward()\n"
    for about in ("x", None):
        found = why(body, "nonfinite", about)
        assert cause in found.cause
        assert "have no unique" in found.cause
        assert 3 in found.lines
        assert "break the tie" in found.fix
        assert "- " in found.evidence[0].text and "= 0" in found.evidence[0].text


def test_anomaly_mode(why: Why) -> None:
    """Its error gives the reason of the answer."""
    body = "x = torch.eye(3, requires_grad=True)\n_, v = torch.linalg.eigh(x)\n"
    with_anomaly = f"{body}with torch.autograd.detect_anomaly():\n    v.sum().backward()\n"
    found = why(with_anomaly, "error")
    assert "the eigenvalue 1 comes 3 times" in found.cause
    assert "break the tie" in found.fix


def test_dependent_columns(why: Why) -> None:
    """The answer has the column that depends on others, and the number on the diagonal."""
    body = "x = torch.tensor([[1.0, 0.0], [2.0, 0.0]], requires_grad=True)\nq, r = torch.linalg.qr(x)\n"
    found = why(f"{body}q.sum().backward()\n", "nonfinite", "x")
    assert "column 1 of x depends on those before it, so that R[1, 1] is 0" in found.cause


@pytest.mark.torch
def test_values_that_are_moved_apart_work() -> None:
    """The fix gives finite gradients in PyTorch."""
    import torch

    x = torch.eye(3, requires_grad=True)
    _, v = torch.linalg.eigh(x + torch.diag(1e-3 * torch.arange(3)))
    v.abs().sum().backward()
    assert torch.isfinite(x.grad).all()
    x = torch.eye(3, requires_grad=True)
    torch.linalg.eigvalsh(x).sum().backward()
    assert torch.isfinite(x.grad).all()


def test_triangles_that_are_singular(torch: Any) -> None:
    """They give infinities and NaN without an error."""
    a, b = torch.tensor([[2.0, 1.0], [0.0, 0.0]]), torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    inf, nan = float("inf"), float("nan")
    for given, wanted in (
        (torch.linalg.solve_triangular(a, b, upper=True), [[-inf, nan], [inf, nan]]),
        (torch.linalg.solve_triangular(a.T, b, upper=False), [[0.5, 0.5], [inf, -inf]]),
        (torch.linalg.solve_triangular(a, b, upper=True, left=False), [[0.5, inf], [0.5, -inf]]),
    ):
        torch.testing.assert_close(given, torch.tensor(wanted), equal_nan=True)


IGNORED = [
    (
        "torch.nn.CrossEntropyLoss(ignore_index=-1)(x, t)",
        "t = torch.full((3,), -1)",
        "every target is ignore_index, -1",
    ),
    ("torch.nn.functional.cross_entropy(x, t)", "t = torch.full((3,), -100)", "every target is ignore_index, -100"),
    ("torch.nn.NLLLoss(ignore_index=0)(x.log_softmax(1), t)", "t = torch.zeros(3).long()", "ignore_index, 0"),
    (
        "torch.nn.functional.nll_loss(x.log_softmax(1), t, weight=torch.tensor([1.0, 0, 1, 1, 1]))",
        "t = torch.ones(3).long()",
        "every target that counts is of a class with weight 0 (weight[1] is 0)",
    ),
]


@pytest.mark.parametrize(("loss", "target", "cause"), IGNORED)
def test_no_target_counts(why: Why, loss: str, target: str, cause: str) -> None:
    """The question is about the run or the loss; the gradient of x is zero, as in PyTorch."""
    body = f"x = torch.ones(3, 5, requires_grad=True)\n{target}\nloss = {loss}\nloss.backward()\n"
    zero = why(body, "grad_zero", "x")
    assert cause in zero.cause
    assert "_saved_" not in zero.cause
    for about in (None, "loss"):
        found = why(body, "nonfinite", about)
        assert cause in found.cause
        assert "0 / 0" in found.cause
        assert {3, 4} <= set(found.lines)
        assert found.evidence[0].text.startswith("t is [")
        assert "reduction='sum'" in found.fix


CTC = (
    "x = torch.ones(4, 2, 5, requires_grad=True)\nt = torch.tensor([[1, 2, 3], [2, 2, 2]])\n"
    "loss = torch.nn.functional.ctc_loss(x.log_softmax(2), t, {lengths}, torch.tensor([3, 3]){more})\nloss.backward()\n"
)


@pytest.mark.parametrize(
    ("lengths", "cause"),
    [
        ("torch.tensor([4, 4])", "t[1] has 3 labels, which takes a time step for each, and a blank between equal"),
        (
            "torch.tensor([2, 4])",
            "t[0] has 3 labels, which takes a time step for each, 3 in all, and input_lengths[0] is 2",
        ),
    ],
)
def test_a_target_longer_than_the_input(why: Why, lengths: str, cause: str) -> None:
    """The answer has the lengths, and zero_infinity as the fix."""
    for about in ("loss", None):
        found = why(CTC.format(lengths=lengths, more=""), "nonfinite", about)
        assert cause in found.cause
        assert "zero_infinity=True" in found.fix


@pytest.mark.torch
def test_advised_losses_work() -> None:
    """They are finite in PyTorch, and so are their gradients."""
    import torch

    space: dict[str, Any] = {}
    exec("import torch\n" + CTC.format(lengths="torch.tensor([4, 4])", more=", zero_infinity=True"), space)
    assert torch.isfinite(space["x"].grad).all()
    x, t = torch.ones(3, 5, requires_grad=True), torch.full((3,), -100)
    loss = torch.nn.functional.cross_entropy(x, t, reduction="sum") / max(1, int((t != -100).sum()))
    loss.backward()
    assert loss.item() == 0
    assert torch.isfinite(x.grad).all()
