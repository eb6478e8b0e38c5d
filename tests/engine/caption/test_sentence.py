"""Protects captions in Python: what they say of programs beside the golden streams, in the names of the program."""

from __future__ import annotations

from backscope.caption import Run, sentence
from backscope.program import runner
from backscope.protocol import events as ev


def told_of(source):
    """The sentences of a program's steps."""
    written = []
    runner.run(source, written.append)
    run = Run()
    for line in b"".join(written).splitlines():
        run.take(ev.decode(line))
    return [sentence(run, moment) for moment in run.moments]


def test_sentences_name_the_actor_its_numbers_and_the_result():
    source = (
        "import torch\nw = torch.tensor(3.0, requires_grad=True)\nx = torch.tensor(2.0)\n"
        "for i in range(2):\n    y = w * x\n    y.backward()\nw.grad = None\n"
        "z = torch.log(w - 3)\nb = torch.ones(2, requires_grad=True)\n(b + torch.ones(3, 2)).sum().backward()\n"
    )
    sentences = told_of(source)
    for wanted in (
        "tensor() makes w = 3. It requires grad, so a backward pass will fill w.grad.",
        "w × x gives y = 6. MulBackward0 joins the graph and saves x for the backward pass: 4 B.",
        "y.backward() starts at MulBackward0 with the gradient 1.",
        "MulBackward0 multiplies the incoming 1 by the saved x = 2 and sends 2 to w. "
        "Then it frees its saved tensor: 4 B.",
        "w.grad was None; it is now 2.",
        "w.grad was 2; adding 2 gives 4: backward() accumulates.",
        "The backward pass is done: w.grad = 4.",
        "w.grad is emptied: it is None again.",
        "log(w − 3) gives z = −Inf. LogBackward0 joins the graph and saves w − 3 for the backward pass: 4 B. "
        "The Inf begins here: log(0). "
        "Every input was finite.",
    ):
        assert wanted in sentences
    wanted = "b was broadcast over 3 rows, so its gradient is the sum over them"
    assert any(wanted in sentence for sentence in sentences)


def test_ops_are_written_as_in_a_program():
    source = (
        "import torch\nq = torch.ones(2, 3, 4, requires_grad=True)\nmask = torch.tensor([1, 0, 1])\n"
        "a = q.transpose(1, 2).reshape(2, 12)\nb = q / 8 ** 0.5\nc = mask == 0\nd = 1 - q\ne = q[0, :, 1:3]\n"
        "f = torch.where(q > 0, q, 0.0)\ng = torch.add(q, q, alpha=2)\nh = ~c\n"
    )
    given = "\n".join(told_of(source))
    for wanted in (
        "reshape(transpose(q)) gives a",
        "q ÷ 2.828 gives b",
        "mask == 0 gives c",
        "1 − q gives d",
        "q[0][:, 1:3] gives e",
        "where(q > 0, q, 0) gives f",
        "q + 2 × q gives g",
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
    assert "The NaN begins here, at element [1, 0]: 0 ÷ 0. Every input was finite." in given


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
    assert " gives y = −0.4055. LogSigmoidBackward0 joins" in joined


def test_a_node_that_saved_nan_is_not_where_it_begins():
    source = (
        "import torch\nx = torch.tensor([0.0, float('nan')], requires_grad=True)\ny = x.exp()\ny.sum().backward()\n"
        "x = torch.tensor([0.0], requires_grad=True)\nx.sqrt().sum().backward()\n"
    )
    sentences = told_of(source)
    assert [s.split()[0] for s in sentences if "begins here" in s] == ["SqrtBackward0"]


def test_an_infinity_that_the_program_puts_into_a_mask_begins_nowhere():
    source = (
        "import torch\nx = torch.ones(2, requires_grad=True)\n"
        "y = x.masked_fill(torch.tensor([False, True]), float('-inf'))\nz = torch.log(x - 1)\n"
    )
    masked, log = (s for s in told_of(source) if " joins" in s and ("gives y" in s or "gives z" in s))
    assert masked.endswith("The −Inf is meant: the program puts it there, as a mask does.")
    assert "The Inf begins here" in log


def test_what_is_saved_and_complex_is_conjugated_but_not_by_what_has_its_own_conjugate():
    source = (
        "import torch\nz = torch.tensor(1 + 2j, requires_grad=True)\nw = torch.tensor(3j)\nr = torch.tensor(2.0)\n"
        "(z * w * r).abs().backward()\ntorch.vdot(z.view(1), w.view(1)).abs().backward()\n"
        "y = torch.stack([z, w]).cumprod(0)\ny.abs().sum().backward()\n"
    )
    given = "\n".join(told_of(source))
    assert "by the conjugate of the saved w = 0+3i and sends" in given
    assert "by the saved r = 2 and sends" in given
    assert "VdotBackward0 multiplies the conjugate of the incoming" in given
    assert "sums g times the conjugate of the saved y = [1+2i, −6+3i] from each place" in given
    assert "over the conjugate of the saved [1+2i, 0+3i] and sends" in given
    assert given.count("conjugate of the saved") == 3
