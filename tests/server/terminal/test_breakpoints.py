"""Protects the breakpoints of `backscope debug`: each stops where it says, and one on an unknown name says so."""

from __future__ import annotations


def test_breakpoints_of_all_kinds_stop_where_they_say(inside, tmp_path, capfd):
    program = (
        "import torch\nw = torch.ones(2, requires_grad=True)\ny = (w * 2).sum()\n"
        "y.register_hook(lambda g: g * 3)\ny.backward()\nz = torch.log(w - 1)\n"
    )
    commands = (
        "b tensor w accumulated\nb hook\nb norm above 4\nb freed\nb nan\nb sum\nb 99\nbl\n" + "c\n" * 9
        + "why error\nwhy nothing\nbreak 1 if (\ndelete 7\nunwatch x\nup\nuntil\nuntil 3\ngoto 2\nnow\nback 99\nback\n"
    )  # fmt: skip
    assert inside(tmp_path, program, commands) == 0
    out = capfd.readouterr().out
    for said in (
        "breakpoint 6 (op sum)", "breakpoint 2 (hook)", "breakpoint 3 (norm above 4)",
        "breakpoint 1 (tensor w accumulated)", "The condition '(' is not an expression",
        "breakpoint 5 (nan)", "The Inf begins here, at element [0]: log(0).", "No statement begins at line 99",
        "There is no breakpoint 7.", "x is not watched.", "A number is needed.", "This is the first step.",
        "No variable nothing had a tensor by then.",
    ):  # fmt: skip
        assert said in out, out


def test_a_breakpoint_on_an_unknown_name_says_so_and_what_may_be_meant(inside, tmp_path, capfd):
    program = "import torch\ndef half(t):\n    return t / 2\nw = torch.ones(2, requires_grad=True)\n"
    program += "half(w).sum().backward()\n"
    commands = "b mull\nb half\nb tensor v gradient\nb tensor w gradient\nb DivBackward0\nc\nb MulBackward0\nc\n"
    assert inside(tmp_path, program, commands) == 0
    said = " ".join(capfd.readouterr().out.split())
    unknown = "so far; the breakpoint waits for one."
    assert f"1: op mull No op or grad_fn is named mull {unknown} Did you mean mul?" in said
    assert f"2: op half No op or grad_fn is named half {unknown} half is a function: break at a line of it," in said
    assert f"3: tensor v gradient No variable is named v {unknown}" in said
    assert said.count(unknown) == 3
    assert "breakpoint 5 (op DivBackward0)" in said
    assert "breakpoint 4 (tensor w gradient)" in said
