"""Protects diagnoses of indices, targets, lengths and sizes that do not fit: the wrong element, its line, the fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, ask
from backscope.protocol import events as ev

F = "F = torch.nn.functional\n"
X = "x = torch.ones(3, 4, requires_grad=True)\n"
LOGITS = "x = torch.ones(3, 5, requires_grad=True)\n"
LOG_PROBS = "x = torch.ones(5, 2, 4, requires_grad=True).log_softmax(2)\n"

PROGRAMS = [
    (X + "i = torch.tensor([[0], [4], [1]])\nx.gather(1, i)\n", "i[1, 0] is 4, and dim 1 has 4 elements", "from 0"),
    (X + "i = torch.tensor([0, 2])\nx.gather(1, i)\n", "with as many dims as the tensor", "index.unsqueeze(1)"),
    (
        X + "i = torch.ones(5, 2).long()\nx.gather(1, i)\n",
        "index of shape [5, 2] is longer along dim 0",
        "cut the index",
    ),
    (X + "i = torch.ones(3, 1)\nx.gather(1, i)\n", "i (line 3) holds float32 numbers", "index.long()"),
    ("i = torch.tensor([[0], [3]])\ntorch.zeros(2, 3).scatter(1, i, 1.0)\n", "i[1, 0] is 3, and dim 1 has 3", "dim="),
    (
        "s = torch.ones(2, 2)\ni = torch.tensor([[0, 1, 2]])\ntorch.zeros(2, 4).scatter_add(1, i, s)\n",
        "src must not be smaller along any dim",
        "cut the index",
    ),
    (
        "s = torch.ones(2, 2)\ni = torch.tensor([0, 5])\ntorch.zeros(3, 2).index_add(0, i, s)\n",
        "i[1] is 5, and dim 0",
        "",
    ),
    (
        "s = torch.ones(3, 2)\ni = torch.tensor([0, 1])\ntorch.zeros(3, 2).index_add(0, i, s)\n",
        "2 indices for the 3 slices of source along dim 0",
        "source.narrow(0, 0, 2)",
    ),
    (X + "i = torch.tensor([0, 3])\nx.index_select(0, i)\n", "i[1] is 3", "from 0"),
    (X + "i = torch.tensor([0.0])\nx.index_select(0, i)\n", "i (line 3) holds float32", "index.long()"),
    (X + "i = torch.tensor([0, -1, 3])\nx[i]\n", "i[2] is 3, and dim 0 has 3 elements", "from 0"),
    (X + "x[3]\n", "3 is outside, and dim 0 has 3 elements", ""),
    (X + "i = torch.tensor([0.0])\nx[i]\n", "i (line 3) holds float32", "index.long()"),
    (X + "m = torch.tensor([True, False])\nx[m]\n", "its shape [2] has to begin the shape [3, 4]", "x.sum(1) > 0"),
    (
        X + "x[torch.tensor([0, 1, 2]), torch.tensor([0, 1])]\n",
        "the same length: [3], [2]",
        "x[rows[:, None], columns]",
    ),
    (X + "x.take(torch.tensor([0, 12]))\n", "is 12: take() counts through all 12 elements", "gather()"),
    (X + "x.sum(2)\n", "There is no dim 2", "from -2 to 1"),
    ("e = torch.nn.Embedding(10, 3)\ni = torch.tensor([[1], [10]])\ne(i)\n", "i[1, 0] is 10", "num_embeddings"),
    ("e = torch.nn.Embedding(10, 3)\ni = torch.tensor([1, -1])\ne(i)\n", "i[1] is -1", "padding_idx=0, not -1"),
    ("e = torch.nn.Embedding(10, 3)\ni = torch.tensor([1.0])\ne(i)\n", "i (line 3) holds float32", ".long()"),
    (F + "w = torch.ones(9, 3)\ni = torch.ones(4)\nF.embedding(i, w)\n", "i (line 4) holds float32", ".long()"),
    (F + LOGITS + "t = torch.tensor([0, 5, 2])\nF.nll_loss(x, t)\n", "t[1] is 5: classes count from 0", "from 0"),
    (F + LOGITS + "t = torch.tensor([0, -1, 2])\nF.cross_entropy(x, t)\n", "t[1] is -1", "ignore_index, which is -100"),
    (F + LOGITS + "t = torch.ones(3)\nF.cross_entropy(x, t)\n", "Float was given", "target.long()"),
    (F + LOGITS + "t = torch.ones(3).int()\nF.cross_entropy(x, t)\n", "Int was given", "target.long()"),
    (F + LOGITS + "t = torch.ones(3, 1).long()\nF.cross_entropy(x, t)\n", "no dim for classes", "target.squeeze(1)"),
    (F + LOGITS + "t = torch.ones(2).long()\nF.cross_entropy(x, t)\n", "3 examples and 2 targets", "flatten"),
    (
        F + "x = torch.ones(2, 7, 5)\nt = torch.ones(2, 7).long()\nF.cross_entropy(x, t)\n",
        "The classes of the input have to lie along dim 1",
        "input.transpose(1, 2)",
    ),
    (
        F + LOGITS + "F.cross_entropy(x, torch.ones(3).long(), weight=torch.ones(4))\n",
        "each of the 5 classes",
        "5 numbers",
    ),
    (
        F + "x = torch.ones(3, 1)\nt = torch.ones(3)\nF.binary_cross_entropy(x, t)\n",
        "[3, 1], needs a target",
        "squeeze(1)",
    ),
    (
        F + LOG_PROBS + "n = torch.tensor([6, 5])\nF.ctc_loss(x, torch.ones(2, 3).long(), n, torch.tensor([3, 3]))\n",
        "n[0] is 6: log_probs has 5 time steps",
        "[time, batch, classes]",
    ),
    (
        F + LOG_PROBS + "n = torch.tensor([5, 5])\nF.ctc_loss(x, torch.ones(2, 3).long(), n, torch.tensor([3, 4]))\n",
        "target length of 4 is longer than the targets, which have 3 columns",
        "target_lengths",
    ),
    (
        F + LOG_PROBS + "n = torch.tensor([5])\nF.ctc_loss(x, torch.ones(2, 3).long(), n, torch.tensor([3, 3]))\n",
        "input_lengths has one number for each sequence of the batch",
        "log_probs.transpose(0, 1)",
    ),
    (
        "pack = torch.nn.utils.rnn.pack_padded_sequence\npack(torch.ones(3, 5, 2), [2, 5, 3], batch_first=True)\n",
        "longest sequence first",
        "enforce_sorted=False",
    ),
    (
        "pack = torch.nn.utils.rnn.pack_padded_sequence\npack(torch.ones(3, 5, 2), [5, 2, 0], batch_first=True)\n",
        "of length 0 can't be packed",
        "Leave empty sequences out",
    ),
    (
        "pack = torch.nn.utils.rnn.pack_padded_sequence\npack(torch.ones(5, 3, 2), [5, 4, 3, 2, 1])\n",
        "5 lengths for a batch of 3",
        "batch_first=True",
    ),
    (X + "x.narrow(1, 3, 4)\n", "narrow() from 3 on takes 4 elements", "x[..., 3:]"),
    (X + "a, b = x.split([2, 1], dim=1)\n", "[2, 1] do not make up the 4 elements of dim 1", "sum is 4"),
    (
        F + "c = torch.tensor([0, 3, 1])\nF.one_hot(c, num_classes=3)\n",
        "c[1] is 3",
        "num_classes the largest class + 1",
    ),
    (F + "c = torch.tensor([0, -1])\nF.one_hot(c, num_classes=3)\n", "c[1] is -1", "clamp(min=0)"),
    (F + "c = torch.ones(2)\nF.one_hot(c, num_classes=3)\n", "takes whole numbers", "labels.long()"),
    ("c = torch.tensor([0, -1])\ntorch.bincount(c)\n", "c[1] is -1", "labels[labels >= 0]"),
    ("c = torch.ones(2, 2).long()\ntorch.bincount(c)\n", "in one list of whole numbers", "labels.flatten()"),
    ("c = torch.ones(2)\ntorch.bincount(c)\n", "so it takes whole numbers", "labels.long()"),
    ("c = torch.ones(2).long()\ntorch.bincount(c, weights=torch.ones(3))\n", "one weight for each number", "length"),
]


@pytest.mark.parametrize(("body", "cause", "fix"), PROGRAMS)
def test_what_is_wrong(record: Callable[..., Any], body: str, cause: str, fix: str) -> None:
    """Cause and fix have the program's names and no placeholder."""
    run = record(body)
    (error,) = [e for e in run.of(ev.ErrorRaised) if e.stage == "program"]
    found = error.diagnosis
    assert found is not None
    assert cause in found.cause
    assert fix in found.fix
    assert run.source.count("\n") in found.lines
    assert "{" not in found.cause + found.fix and ".." not in found.cause


@pytest.mark.torch
@pytest.mark.parametrize(("body", "cause", "fix"), PROGRAMS)
def test_as_pytorch_says(record: Callable[..., Any], body: str, cause: str, fix: str) -> None:
    """Type and text of the error equal PyTorch's."""
    (error,) = [e for e in record(body).of(ev.ErrorRaised) if e.stage == "program"]
    with pytest.raises(Exception) as raised:  # noqa: PT011 - each has a type of its own
        exec("import torch\n" + body, {})
    assert (error.type, error.message) == (type(raised.value).__name__, str(raised.value))


@pytest.mark.parametrize(
    ("op", "cut"),
    [
        ("torch.zeros(2, 4).scatter_add(1, i, s)", "s[:, :2]"),
        ("torch.zeros(2, 4).scatter(1, i, s)", "s[:, :2]"),
        ("torch.zeros(2, 4).scatter_reduce(1, i, s, 'sum')", "s[:, :2]"),
        ("torch.zeros(2, 4).scatter_reduce(1, i, s, 'mean')", "s[:, :2]"),
    ],
)
def test_a_source_with_more_elements_than_the_index(record: Callable[..., Any], op: str, cut: str) -> None:
    """It names the tensors and their lines, and the slice that makes them fit."""
    made = "s = torch.ones(2, 5, requires_grad=True)\ni = torch.tensor([[0, 1], [2, 2]])\n"
    body = f"{made}out = {op}\nout.sum().backward()\n"
    tape = Tape(record(body).events)
    found = ask(tape, tape.seq, "error", Subject())
    assert found.cause.startswith("s has more elements than i: it has shape [2, 5], and i, of shape [2, 2]")
    assert cut in found.fix
    assert found.lines == [2, 3, 4, 5]
    assert record(body.replace("i, s", f"i, {cut}")).of(ev.ErrorRaised) == []


@pytest.mark.torch
def test_a_sliced_source_works() -> None:
    """The fix gives a gradient in PyTorch."""
    import torch

    s = torch.ones(2, 5, requires_grad=True)
    i = torch.tensor([[0, 1], [2, 2]])
    torch.zeros(2, 4).scatter_add(1, i, s[:, :2]).sum().backward()
    assert s.grad.tolist() == [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0]]


VMAPPED = [
    ("if x.norm() > 1:\n        x = x / x.norm()\n    return x", "`if x.norm() > 1:`", "torch.where("),
    ("while x.sum() < 9:\n        x = x * 2\n    return x", "`while x.sum() < 9:`", "torch.where("),
    ("return x * x.sum().item()", "`return x * x.sum().item()`", "Go on with the tensor"),
    ("return x[x > 0].sum()", "`return x[x > 0].sum()`", "torch.where(mask, x, 0).sum()"),
    ("return torch.nn.functional.dropout(x)", "draws random numbers inside vmap", 'randomness="different"'),
]


@pytest.mark.parametrize(("body", "cause", "fix"), VMAPPED)
def test_vmap(record: Callable[..., Any], body: str, cause: str, fix: str) -> None:
    """It names the line of the program, and what to write in its place."""
    run = record(f"def f(x):\n    {body}\ntorch.func.vmap(f)(torch.ones(4, 3))\n")
    (error,) = [e for e in run.of(ev.ErrorRaised) if e.stage == "program"]
    assert error.diagnosis is not None
    assert cause in error.diagnosis.cause
    assert fix in error.diagnosis.fix
    assert 3 in error.diagnosis.lines


@pytest.mark.torch
def test_vmap_with_where_works() -> None:
    """The fix runs in PyTorch."""
    import torch

    x = torch.ones(4, 3)
    clipped = torch.func.vmap(lambda x: torch.where(x.norm() > 1, x / x.norm(), x))(x)
    assert torch.allclose(clipped.norm(dim=1), torch.ones(4))
    assert torch.func.vmap(lambda x: torch.where(x > 0, x, 0).sum())(x).tolist() == [3, 3, 3, 3]
