"""Protects the captions of the terminal: every moment has one, with the numbers and the names of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backscope.diagnosis.why import Tape
from backscope.program import runner
from backscope.protocol import events as ev
from backscope.protocol.sentences import tables
from backscope_server.terminal import written
from backscope_server.terminal.history import History
from backscope_server.terminal.sentence import Telling, content

GOLDENS = sorted((Path(__file__).parents[2] / "golden").glob("*.jsonl"))


def told(events):
    history = History()
    for event in events:
        history.take(event)
    return [
        Telling(history.tape, moment.last).moment(moment.main, history.inside(moment)) for moment in history.moments
    ]


def told_of(source):
    written = []
    runner.run(source, written.append)
    return told(ev.decode(line) for line in b"".join(written).splitlines())


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_every_moment_of_every_recorded_program_has_a_sentence(path):
    for sentence in told(ev.decode(line) for line in path.read_bytes().splitlines()):
        assert re.match(r"(?s)\S.*[^\s]$", sentence)
        if not sentence.startswith("The program prints"):
            assert not re.search(r"\{|object at|Event\b|undefined", sentence), sentence
        assert not re.fullmatch(r"[A-Z]\w+\.", sentence), sentence


def test_sentences_name_the_actor_its_numbers_and_the_result():
    source = (
        "import torch\nw = torch.tensor(3.0, requires_grad=True)\nx = torch.tensor(2.0)\n"
        "for i in range(2):\n    y = w * x\n    y.backward()\nw.grad = None\n"
        "z = torch.log(w - 3)\nb = torch.ones(2, requires_grad=True)\n(b + torch.ones(3, 2)).sum().backward()\n"
    )
    sentences = told_of(source)
    for wanted in (
        "tensor() makes w = 3. It requires grad.",
        "w * x gives y = 6. MulBackward0 joins the graph and saves other: 4 bytes.",
        "backward() of y starts at MulBackward0 with the gradient 1.",
        "MulBackward0 multiplies the incoming 1 by the saved x = 2 and sends 2 to w. It frees what it saved: 4 bytes.",
        "w.grad was None; it is now 2.",
        "w.grad was 2; adding 2 gives 4: backward() accumulates.",
        "The backward pass is done: w.grad = 4.",
        "w.grad is emptied: it is None again.",
        "log(w - 3) gives z = -inf. LogBackward0 joins the graph and saves self: 4 bytes. The Inf begins here: log(0). "
        "Every input was finite.",
    ):
        assert wanted in sentences
    assert any("b was broadcast to [3, 2]: the gradient is summed." in sentence for sentence in sentences)


CHECKPOINTED = [
    ("25_checkpoint", "Under checkpoint it keeps nothing: x is given again."),
    ("25_checkpoint", "because its tensors were not kept."),
    ("selective_checkpoint", "checkpoint runs block: its policy says which results are kept, the others are computed"),
    ("selective_checkpoint", "x @ w gives a = [[1, 4]]. MmBackward0 joins the graph. Under checkpoint it keeps "
     "nothing: x is given again."),
    ("selective_checkpoint", "Under checkpoint it keeps nothing: the policy keeps a."),
    ("selective_checkpoint", "Under checkpoint it keeps nothing: w is given again and b will be computed again."),
    ("selective_checkpoint", "The checkpointed function runs again, for what its policy did not keep."),
    ("selective_checkpoint", "block runs again for the checkpoint: x @ w is not computed, as the policy kept a ="),
    ("selective_checkpoint", "block runs again for the checkpoint: a * a gives b = [[1, 16]]."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "wanted"), CHECKPOINTED)
def test_what_a_checkpoint_keeps_is_given_or_computes_again(name, wanted):
    path = next(path for path in GOLDENS if path.stem == name)
    sentences = told(ev.decode(line) for line in path.read_bytes().splitlines())
    assert any(wanted in sentence for sentence in sentences), sentences


def test_ops_are_written_as_in_a_program():
    source = (
        "import torch\nq = torch.ones(2, 3, 4, requires_grad=True)\nmask = torch.tensor([1, 0, 1])\n"
        "a = q.transpose(1, 2).reshape(2, 12)\nb = q / 8 ** 0.5\nc = mask == 0\nd = 1 - q\ne = q[0, :, 1:3]\n"
        "f = torch.where(q > 0, q, 0.0)\ng = torch.add(q, q, alpha=2)\nh = ~c\n"
    )
    given = "\n".join(told_of(source))
    for wanted in (
        "reshape(transpose(q)) gives a",
        "q / 2.828 gives b",
        "mask == 0 gives c",
        "1 - q gives d",
        "q[0][:, 1:3] gives e",
        "where(q > 0, q, 0) gives f",
        "q + 2 * q gives g",
        "~c gives h",
    ):
        assert wanted in given
    assert "unsafe_view" not in given
    assert "2.8284" not in given


def test_the_element_that_a_nan_begins_in_is_named_with_its_numbers():
    source = (
        "import torch\nx = torch.ones(2, 2, requires_grad=True)\ny = torch.tensor([[1.0], [0.0]])\nz = (x * y) / y\n"
    )
    given = "\n".join(told_of(source))
    assert "The NaN begins here, at element [1, 0]: 0 / 0. Every input was finite." in given


def test_page_and_terminal_write_ops_alike():
    page = tables()["written"]
    assert page["names"] == written.NAMES
    assert page["infix"] == written.INFIX
    assert set(page["pointwise"]) == written.POINTWISE


def test_the_mask_of_dropout_is_not_said_to_be_made_by_a_function_of_the_program():
    sentences = told_of("import torch\ntorch.dropout(torch.ones(3), 1.0, True)\n")
    assert "Dropout draws what it keeps: 0." in sentences


def test_what_only_the_formula_uses_is_not_said_to_be_a_result():
    source = (
        "import torch\nimport torch.nn.functional as F\nx = torch.zeros(2, 2, requires_grad=True)\n"
        "loss = F.cross_entropy(x, torch.tensor([0, 1]))\ny = F.logsigmoid(loss)\n"
    )
    sentences = told_of(source)
    joined = "\n".join(sentence for sentence in sentences if " joins" in sentence)
    assert " gives loss = 0.6931. NllLossBackward0 joins" in joined
    assert " gives y = -0.4055. LogSigmoidBackward0 joins" in joined


def test_values_are_written_out_where_they_are_small():
    value = ev.Summary(
        shape=[2, 2], dtype="float32", strides=[2, 1], nbytes=16, min=0, max=3, mean=1.5, norm=3.7, nan_count=0,
        inf_count=0, values=[0, 1, 2.5, "NaN"],
    )  # fmt: skip
    assert content(value) == "[[0, 1], [2.5, nan]]"
    assert content(None, "gradient") == "no gradient"
    assert Telling(Tape(), 0).tensor(7) == "a tensor"


def test_a_node_that_saved_nan_is_not_where_it_begins():
    source = (
        "import torch\nx = torch.tensor([0.0, float('nan')], requires_grad=True)\ny = x.exp()\ny.sum().backward()\n"
        "x = torch.tensor([0.0], requires_grad=True)\nx.sqrt().sum().backward()\n"
    )
    sentences = told_of(source)
    assert [s.split()[0] for s in sentences if "begins here" in s] == ["SqrtBackward0"]
