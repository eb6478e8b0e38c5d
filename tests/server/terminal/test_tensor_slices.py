"""Protects `values`: elements of any tensor, named or not, now and in the past, whole or a slice."""

from __future__ import annotations

import re

import pytest

from backscope.protocol.commands import TensorRead
from backscope_server.terminal.tensor_slices import written

PROGRAM = """\
import torch
w = torch.arange(600.0).reshape(20, 30).requires_grad_()
loss = (w.exp() * 2).sum()
grads = [torch.ones(2)]
c = torch.tensor([1 + 2j, -1j])
loss.backward()
print("end")
"""


@pytest.fixture
def debug(inside, tmp_path, capfd):
    def debug(commands):
        inside(tmp_path, PROGRAM, commands.replace("; ", "\n") + "\n")
        return capfd.readouterr().out

    return debug


def test_slices_of_current_tensors(debug):
    said = debug(
        "b 7; c; values w[1:3, -2:]; v w [19, 29]; v w.grad[0, 0:3]; v grads[0]; v grads[0][1]; v c; v loss"
        "; v w[0:0]; v loss.grad; v w[20]; v w[0, 0, 0]; v w[x]; v w[1,]; v; v nothing; v #999; v w[5:2, 0]"
    )
    for shown in (
        "w: [1:3, 28:30] of [20, 30], float32\n[[58, 59],\n [88, 89]]\n",
        "w: [19:20, 29:30] of [20, 30], float32\n[[599]]\n",
        "w.grad: [0:1, 0:3] of [20, 30], float32\n[[      2, 5.43656, 14.7781]]\n",
        "grads[0]: [2], float32\n[1, 1]\n",
        "grads[0]: [1:2] of [2], float32\n[1]\n",
        "c: [2], complex64\n[ 1+2j, -0-1j]\n",
        "w: [0:0] of [20, 30], float32\n[]\n",
        "loss.grad is None.",
        "20 is out of range: that dim has 20.",
        "It has 2 dims: [20, 30].",
        "'' is no slice; for instance [0:10, 3].",
        "A tensor is needed. For instance: values w.grad[0:10]",
        "No variable nothing had a tensor by then.",
        "There is no node #999.",
        "w: [5:5, 0:1] of [20, 30], float32\n[]\n",
    ):
        assert shown in said, shown


def test_tensors_without_a_name(debug):
    """An output is read at the node if it has been released, and a saved tensor where it was saved."""
    said = debug("b 7; c; v #7[0, 0:3]; v #7.result[0, 1]; v #7.self; back 99; f 3; v #7[0, 0:3]; v #9")
    assert re.search(
        r"#7: \[0:1, 0:3\] of \[20, 30\], float32, as it was at event \d+\n\[\[ +1, 2.71828, 7.38906\]\]", said
    )
    assert re.search(r"#7.result: \[0:1, 1:2\] of .* at event \d+\n\[\[2.71828\]\]\n", said)
    assert "#7 ExpBackward0 has not saved self; it has saved result." in said
    assert "#7: [0:1, 0:3] of [20, 30], float32\n[[      1, 2.71828, 7.38906]]\n" in said
    assert "There is no node #9." in said


def test_values_that_are_not_finite_and_tensors_without_dims():
    def read(values, shape):
        return TensorRead(id=0, whole=shape, shape=shape, dtype="float32", values=values)

    assert written(read(["NaN", 1.0, "-Infinity"], [3]), 79) == "[      NaN,         1, -Infinity]"
    assert written(read([2.5], []), 79) == "2.5"
    assert written(read([True, False], [1, 2]), 79) == "[[ True, False]]"
    assert all(len(line) < 80 for line in written(read([0.123456] * 2000, [2000]), 79).split("\n"))
