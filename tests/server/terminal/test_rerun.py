"""Protects values of the past at a terminal: any expression at any moment, from a compared, silent second run."""

from __future__ import annotations

import gc
import os
import re
import time

import pytest

PROMPT = "(backscope) "
TRAINING = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)

def loss_of(x):
    doubled = w * x
    return doubled.sum()

for step in range(4):
    loss = loss_of(torch.full((2,), float(step)))
    print("step", step)
    loss.backward()
    label = f"after {step}"
del loss
"""


@pytest.fixture
def debug(inside, tmp_path, capfd):
    """Return a function that runs commands, separated by semicolons, and returns the output."""

    def debug(program, commands):
        inside(tmp_path, program, commands.replace("; ", "\n") + "\n")
        return capfd.readouterr().out

    return debug


def test_expressions_frames_and_variables_of_the_past(debug):
    said = debug(
        TRAINING,
        "b 11 if step == 2; c; back 2; p step, doubled; where; up; p label; locals; down; now; p label",
    )
    assert "(2, tensor([2., 4.], grad_fn=<MulBackward0>))" in said
    assert "   1  line 9 in <module>    loss = loss_of(torch.full((2,), float(step)))\n-> 0  line 5 in loss_of" in said
    assert said.count("\n'after 1'\n") == 2
    assert "<module>, line 9:" in said
    assert "-> 5      doubled = w * x" in said
    assert said.count("step 0\n") == 1, "what is run again is not seen"


def test_a_program_that_is_over_can_be_read_where_it_ended(debug):
    said = debug(TRAINING, "end; p w.grad.sum(), label; where; p loss; back 99; p w; f; p w.grad")
    assert "(tensor(12.), 'after 3')" in said
    assert "-> 0  line 13 in <module>    del loss" in said
    assert "NameError: name 'loss' is not defined" in said
    assert "tensor([1., 2.], requires_grad=True)\n" in said
    assert said.endswith("p w.grad\nNone\n(backscope) quit\n")


def test_a_program_that_failed_has_its_frames(debug):
    program = """\
import torch
def inner(x):
    y = x * 2
    return y @ None
w = torch.ones(2, requires_grad=True)
inner(w)
"""
    said = debug(program, "end; p y; up; locals; back; p y; where")
    assert "tensor([2., 2.], grad_fn=<MulBackward0>)" in said
    assert "-> 6  inner(w)" in said
    assert "  w = tensor([1., 1.], requires_grad=True)" in said
    assert "   1  line 6 in <module>" in said


def test_one_process_goes_on_to_later_moments(debug, tmp_path):
    program = f"open({str(tmp_path / 'begun')!r}, 'a').write('.')\n" + TRAINING
    said = debug(program, "end; back 9; p step; f; p step; f 2; p step; locals; back 8; p step")
    assert said.count("The program runs again for this") == 1
    assert (tmp_path / "begun").read_text() == "..."  # The run, one for what came later, one for what came before.


def test_effects_of_an_expression_are_not_kept(debug):
    said = debug(TRAINING, "end; back 9; p w.data.zero_(); f; p w; f; p w.sum()")
    assert "tensor([0., 0.])" in said
    assert "tensor([1., 2.], requires_grad=True)" in said
    assert "tensor(3.)\n" in said
    assert "did something else" not in said


def test_changes_by_hand_are_made_again(debug):
    said = debug(
        TRAINING,
        "b 11 if step == 1; c; set w.data = torch.ones(2) * 5; set label = 'mine'; delete; end; back 19; p w, label"
        "; back 99; p w",
    )
    assert "(tensor([5., 5.], requires_grad=True), 'mine')" in said
    assert "tensor([1., 2.], requires_grad=True)\n(backscope) quit\n" in said


def test_the_program_reads_the_same_input_again(piped, tmp_path):
    (tmp_path / "commands").write_text("end\nback 2\np name, rest\nback 3\np name\ncurve len(rest)\n")
    program = """\
import sys, torch
name = input()
w = torch.ones(2, requires_grad=True)
rest = sys.stdin.read()
(w * len(rest)).sum().backward()
print(sys.stdin.read() == "", sys.stdin.isatty())
"""
    said = piped(tmp_path, program, "Ann\nand\nthe rest", "--commands", "commands", "program.py").stdout
    assert "('Ann', 'and\\nthe rest')" in said
    assert "'Ann'\n" in said
    assert "len(rest): 1 value from event" in said
    assert "did something else" not in said


def test_a_program_that_depends_on_more_than_its_seed_is_reported(debug):
    program = """\
import os, torch
w = torch.ones(2, requires_grad=True)
chance = os.getpid()
(w * chance).sum().backward()
"""
    said = " ".join(debug(program, "end; back; p chance; p w; locals; curve w.sum()").split())
    assert "The program did something else when it was run again: at event" in said
    assert "It depends on more than its seed" in said
    assert "w = [1, 1] (float32) The log has that much." in said
    assert "w.sum(): 1 value from event" in said, "a curve goes as far as both runs are the same"


class Remains:
    """A cycle, which only the garbage collector finds; it prints when that frees it."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        print("remains of the debugger")


def test_what_the_debugger_leaves_is_not_collected_in_the_program(debug):
    """Nor is it counted there, so that the program's own garbage is collected at the same moments in each run."""
    gc.collect()
    gc.disable()
    try:
        young = [[] for _ in range(20_000)]
        Remains()
        said = debug(
            "import gc\nfew = gc.get_count()[0] < 10_000\ngc.collect()\nprint('few', few)\n", "end; b 1; p few"
        )
        assert len(young) == 20_000
    finally:
        gc.enable()
        gc.collect()
    assert "few True\n" in said
    assert "remains of the debugger" not in said
    assert "did something else" not in said


def test_a_curve_over_the_run(debug):
    said = debug(
        TRAINING,
        "b 11 if step == 3; c; curve w.grad.norm(); curve torch.tensor(step - 2.0).log(); curve label; curve nowhere"
        "; curve (; curve; end; curve step",
    )
    assert "lowest 0 at event" in said
    assert "line 5    4.24264" in said
    assert "  4.243 |" in said
    assert "the first NaN or Inf at event" in " ".join(said.split())
    assert "'after 2'" in said and "'after 3'" not in said
    assert "nowhere had no value at any moment." in said
    assert "'(' is not an expression" in said
    assert "An expression is needed. For instance: curve w.grad.norm()" in said
    assert "step: 4 values" in said
    assert all(len(line) <= 100 for line in said.splitlines())


def test_ctrl_c_ends_what_is_run_again(sit_down, tmp_path):
    program = """\
import os, torch
w = torch.ones(1, requires_grad=True)
(w * 2).sum().backward()
while os.path.exists("again"):
    open("there", "w").close()
(w * 3).sum().backward()
"""
    person = sit_down(program)
    assert "with exit status 0" in person.type("c")
    (tmp_path / "again").touch()
    os.write(person.terminal, b"p w.grad + 1\n")
    person.until("files that it writes, again too.")
    while not (tmp_path / "there").exists():
        time.sleep(0.01)
    person.interrupt()
    person.until(f"\n{PROMPT}")
    (tmp_path / "again").unlink()
    assert "tensor([6.])" in person.type("p w.grad + 1")
    os.write(person.terminal, b"q\n")
    assert person.leave() == 0


def test_progress_is_shown_on_a_terminal(sit_down):
    program = """\
import torch
w = torch.ones(1, requires_grad=True)
for i in range(3000):
    w.data.mul_(1.0)
"""
    person = sit_down(program, TERM="xterm")
    person.type("end")
    before = len(person.raw)
    assert "2999" in person.type("p i")
    shown = person.raw[before:]
    assert ("; Ctrl-C ends it\x1b[K" in shown) is ("\r\x1b[K" in shown), "what is shown meanwhile is taken away"


def test_watched_values_are_right_after_a_name_is_rebound(debug):
    program = """\
import torch
w = torch.ones(4, requires_grad=True)
loss = w.sum()
loss.backward()
loss = "none"
v = torch.ones(1)
v = v * 2
"""
    said = debug(program, "end; watch loss; watch w[1:] * 3; back; back 4")
    assert "  loss = 'none'\n  w[1:] * 3 = tensor([3., 3., 3.])\n" in said
    assert "  loss = 4  (float32)\n  w[1:] * 3 = tensor([3., 3., 3.])\n" in said


def test_a_thread_of_the_program_can_be_read_now_and_later(debug):
    program = """\
import threading, torch
w = torch.ones(2, requires_grad=True)
def work(scale):
    y = (w * scale).sum()
    y.backward()
thread = threading.Thread(target=work, args=(2,))
thread.start()
thread.join()
"""
    said = debug(program, "b 5; c; p y, scale; set scale = 5; c; back 3; where; p scale, w.grad; locals")
    assert "(tensor(4., grad_fn=<SumBackward0>), 2)\n" in said
    assert "-> 0  line 5 in work" in said
    assert "(5, None)\n" in said
    assert "work, line 5:" in said


def test_an_event_within_a_moment_can_be_read(debug):
    """backward() of a custom Function is one moment, of a node; within it, its own frames can be read."""
    program = """\
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        half = grad / 2
        return half * 4
w = torch.ones(2, requires_grad=True)
Scale.apply(w).sum().backward()
"""
    said = debug(program, "end; back 3; events")
    named = int(re.findall(r"(\d+)  line 8 +TensorNamed", said)[0])
    said = debug(program, f"end; goto {named}; where; p grad, half; goto {named - 1}; p half; back; where")
    assert f"the past: line 8, event {named} of events" in said
    assert "-> 8          half = grad / 2" in said
    assert "-> 0  line 8 in backward" in said
    assert "(tensor([1., 1.]), tensor([0.5000, 0.5000]))" in said
    assert "NameError: name 'half' is not defined" in said
    assert "-> 0  line 11 in <module>" in said
