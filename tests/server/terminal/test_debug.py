"""Protects `backscope debug`: a user stops inside backward(), inspects, changes values, goes back, uses `why`."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backscope.protocol import trace
from backscope_server.command import cli
from backscope_server.terminal.repl import COMMANDS

PROMPT = "(backscope) "
PROGRAM = """\
import torch

def loss_of(w, x):
    h = w * x
    return h.sum()

w = torch.tensor([1.0, 2.0], requires_grad=True)
unused = torch.ones(2, requires_grad=True)
for i in range(2):
    x = torch.tensor([3.0, 4.0])
    loss = loss_of(w, x)
    loss.backward()
    print("round", i, w.grad)
"""


def test_saved_and_memory_count_alike(piped, tmp_path):
    """A part of a storage keeps all of it; a storage that two nodes save counts once, also once it is freed."""
    program = (
        "import torch\nx = torch.arange(4.0).requires_grad_()\ny = x[:2] * x[2:]\nz = (y * x[:2]).sum()\n"
        "z.backward()\npass\n"
    )
    ran = piped(tmp_path, program, "break 5\ncontinue\nsaved\nmemory\nbreak 6\ncontinue\nsaved\n", "program.py")
    assert "2 nodes hold 24 bytes, what shares memory counted once; 0 bytes freed so far." in ran.stdout
    assert re.search(r"saved +24 bytes", ran.stdout)
    assert "No node holds a saved tensor; 24 bytes freed so far." in ran.stdout


def test_nodes_under_a_checkpoint_hold_nothing(piped, tmp_path):
    """This is so between the passes; nodes outside of the checkpoint hold theirs."""
    program = (
        "import torch\nfrom torch.utils.checkpoint import checkpoint\nw = torch.ones(2, requires_grad=True)\n"
        "y = checkpoint(lambda x: x.cos().sin().exp(), w, use_reentrant=False)\nz = (y * y).sum()\nz.backward()\n"
    )
    ran = piped(tmp_path, program, "break 6\ncontinue\nsaved\nmemory\ngraph\n", "program.py")
    assert "1 node holds 8 bytes; 0 bytes freed so far." in ran.stdout.replace(", what shares memory counted once", "")
    assert re.search(r"saved +8 bytes", ran.stdout)
    tree = [line for line in ran.stdout.splitlines() if "`- #" in line]
    assert [bool(re.search(r"saves \d", line)) for line in tree] == [True, False, False, False, False], ran.stdout


def test_stop_inside_backward_inspect_change_go_back_and_go_on(sit_down):
    person = sit_down(PROGRAM)
    assert person.type("break 12 if i == 1") == "1: line 12 if i == 1\n"
    assert "program.py:12, event" in person.type("c")
    assert person.type("p w.grad") == "tensor([3., 4.])\n"
    assert person.type("node").splitlines()[1].endswith("SumBackward0, made at line 5, is about to run on 1.")
    said = person.type("")  # An empty line repeats.
    assert "sends [1, 1] to h." in said.replace("\n", " ")
    assert "MulBackward0, made at line 4, is about to run on [1, 1]." in said
    tree = person.type("graph")
    assert re.search(
        r"SumBackward0  made loss  line 5  has run\n`- #\d+ MulBackward0  made h  line 4  saves 8 bytes", tree
    )
    assert "AccumulateGrad  -> w.grad = [3, 4]" in tree
    assert "1 node holds 8 bytes; 8 bytes freed so far." in person.type("saved")
    assert "w.grad = tensor([3., 4.])" in person.type("watch w.grad")
    assert "AccumulateGrad of w is about to run on [3, 4]." in person.type("node")
    person.type("set w.grad = torch.zeros(2)")
    assert "w.grad = tensor([3., 4.])" in person.type("s")
    assert "You set w.grad to torch.zeros(2)." in person.type("back")
    person.type("now")

    past = person.type("back 4")
    assert "the past: " in past
    assert "-> 5      return h.sum()" in past + person.type("back")
    assert person.type("p w.grad").endswith("\ntensor([3., 4.])\n")
    assert person.type("set i = 3") == "The past cannot be changed. `now` returns.\n"
    assert "the past: " in person.type("forward")
    assert "program.py:12, event" in person.type("now")

    assert "Why is unused.grad None?" in person.type("why unused")
    assert "line 12 in <module>" in person.type("where")
    assert person.type("delete 1") == "Deleted: 1.\n"
    assert "round 1 tensor([3., 4.])\nThe program is over, with exit status 0." in person.type("c")
    assert "The program is over" in person.type("step")
    assert "gradient" in person.type("memory")
    os.write(person.terminal, b"q\n")
    assert person.leave() == 0
    assert "\x1b[1;34m" in person.raw
    assert all(len(line) < 80 for line in person.plain.split("\n"))


def test_the_graph_of_a_second_pass_shows_which_nodes_have_run_in_it(piped, tmp_path):
    program = (
        "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\nfor i in range(2):\n    w.grad = None\n"
        "    loss = (w * 3).sum()\n    loss.backward()\n"
    )
    ran = piped(tmp_path, program, "break MulBackward0 if i == 1\ncontinue\ngraph\nend\n", "program.py")
    tree = [line for line in ran.stdout.splitlines() if "`- #" in line]
    assert ["has run" in line for line in tree] == [False, False], ran.stdout
    assert "AccumulateGrad  -> w.grad = None" in tree[1]


def test_why_uses_the_names_of_the_selected_frame(piped, tmp_path):
    program = (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.parts = torch.nn.ModuleList([torch.nn.Linear(2, 1)])\n    def forward(self, x):\n"
        "        return self.parts[0](x).sum()\nnet = Net()\nx = torch.ones(1, 2, requires_grad=True)\n"
        "net(x * 2).backward()\n"
    )
    commands = "break 7\ncontinue\nwhy x\nup\nwhy x\ndown\nwhy self.parts[0].weight\nend\nwhy net.parts[0].weight\n"
    ran = piped(tmp_path, program, commands, "program.py")
    said = " ".join(ran.stdout.split())
    inner, outer, weight, at_end = [*said.split("Why is")[1:4], said.split("Why does")[-1]]
    assert "x is not a leaf" in inner
    assert "backward() has not been called yet" in outer
    assert weight.startswith(" net.parts.0.weight.grad None?")
    assert at_end.startswith(" net.parts.0.weight.grad have this value?")


def test_repeated_frames_are_printed_once(piped, tmp_path):
    """The first group of repeated frames and the selected frame are printed; frames keep their numbers."""
    program = "def even(n):\n    return odd(n - 1) if n else 1 / n\n\ndef odd(n):\n    return even(n - 1)\n\neven(40)\n"
    run = piped(tmp_path, program, "break exception\nc\nwhere\nup\nup\nup\nwhere\nq\n", "program.py")
    first, then = run.stdout.split("these 2 frames 20 times in all")[:2]
    assert [line.split()[0] for line in first.splitlines() if " in even" in line or " in odd" in line][-4:] == [
        "40", "39", "2", "1",
    ]  # fmt: skip
    assert "line 7 in <module>" in first and "-> 0  line 2 in even" in then
    chosen = then[then.index("<module>") :]
    assert "-> 3  line 5 in odd" in chosen and "39  line 5 in odd" in chosen and " 5  line" not in chosen


def test_frames_functions_and_completion(sit_down, tmp_path):
    person = sit_down(PROGRAM, NO_COLOR="1")
    os.write(person.terminal, b"breakp\t\n")
    assert "No breakpoints." in person.until(PROMPT, seconds=60)
    person.type("b line 5")
    assert "program.py:5 in loss_of" in person.type("c")
    assert "h = tensor([3., 8.]" in person.type("locals")
    assert person.type("p h.tolist()") == "[3.0, 8.0]\n"
    assert "-> 11      loss = loss_of(w, x)" in person.type("up")
    assert person.type("p i") == "0\n"
    assert person.type("up") == "This is the outermost frame.\n"
    assert "line 5 in loss_of" in person.type("down")
    assert "->  5      return h.sum()" in person.type("l")
    assert "program.py:12" in person.type("out")
    assert "program.py:5 in loss_of" in person.type("c")
    assert person.type("p nothing") == "NameError: name 'nothing' is not defined\n"
    assert "'b' " not in person.type("b mul")
    assert "There is no command 'frobnicate'." in person.type("frobnicate now")
    assert "break node NUMBER" in person.type("help break")
    listed = person.type("help")
    assert [command.name for command in COMMANDS if command.help not in listed] == [], "cut at 80 columns"
    assert "loss.backward() starts at SumBackward0" in person.type("backward")
    os.write(person.terminal, b"\x04")
    assert person.leave() == 0
    assert "\x1b[1;34m" not in person.raw
    assert "frobnicate now" in next(tmp_path.rglob("debug_history")).read_text()


def test_ctrl_c_pauses_and_restart_begins_again(sit_down):
    program = (
        "import torch\nprint('seed', torch.rand(1).item())\nname = input('name? ')\nprint('hello', name)\n"
        "w = torch.ones(1, requires_grad=True)\nrunning = True\nwhile running:\n    w = w * 1\nprint('left')\n"
    )
    person = sit_down(program)
    person.type("b 4")
    os.write(person.terminal, b"c\n")
    first = person.until("name? ")
    os.write(person.terminal, b"Ann\n")
    assert "program.py:4" in person.until(PROMPT)
    os.write(person.terminal, b"c\n")
    person.until("hello Ann")
    person.interrupt()
    said = person.until(f"\n{PROMPT}")
    assert "paused" in said
    person.type("set running = False")
    assert "left\nThe program is over, with exit status 0." in person.type("c")

    person.type("restart")
    os.write(person.terminal, b"c\n")
    again = person.until("name? ")
    assert re.search(r"seed [\d.]+", again)[0] == re.search(r"seed [\d.]+", first)[0]
    person.interrupt()  # While the program waits for what is typed.
    assert "paused" in person.until(f"\n{PROMPT}")
    # At the prompt; readline does not see a signal that comes right before it waits for a key.
    while not (select.select([person.terminal], [], [], 1)[0]):
        person.interrupt()
    assert "`quit` or Ctrl-D leaves." in person.until("leaves.")
    os.write(person.terminal, b"q\n")
    assert person.leave() == 0


def test_ctrl_c_ends_an_expression(sit_down, tmp_path):
    person = sit_down("import torch\nw = torch.ones(2, requires_grad=True)\nprint(w)\n")
    person.type("b 3")
    assert "program.py:3" in person.type("c")
    os.write(person.terminal, b"p open('begun', 'w'), any(False for _ in iter(int, 1))\n")
    person.until("iter(int, 1))")
    while not (tmp_path / "begun").exists():
        time.sleep(0.01)
    person.interrupt()
    said = ""
    while PROMPT not in said:
        if select.select([person.terminal], [], [], 20)[0]:
            said += os.read(person.terminal, 65536).decode()  # Any part of it: the prompt may come in two.
        else:
            person.interrupt()
    assert "It was interrupted." in said
    assert "tensor([1., 1.]" in person.type("p w")
    assert "tensor([1., 1.]" in person.type("c")
    os.write(person.terminal, b"q\n")
    assert person.leave() == 0


def test_going_on_from_the_past_goes_on_from_now(piped, tmp_path):
    program = "import torch\nw = torch.ones(2, requires_grad=True)\ny = w * 2\nz = y + 1\nz.sum().backward()\n"
    said = piped(tmp_path, program, "b 4\nb 5\nc\nback\nc\nwhy w.grad[0]\n", "program.py").stdout
    past, _, after = said.partition("the past: ")
    assert "program.py:4" in past
    assert "From now, not from the past" in after
    assert "program.py:5" in after
    assert "Of w.grad as a whole:" in after and "Why is w.grad None?" in after


def test_an_event_that_does_not_come_is_named_at_the_end_of_the_program(piped, tmp_path):
    """The program stops there, where its variables can be read; once it is over, nothing runs."""
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\n"
    done = piped(tmp_path, program, "goto 999\np w.grad\nend\nuntil 999\ngoto 3\n", "program.py")
    stopped, over, after = " ".join(done.stdout.split()).partition("The program is over, with exit status 0.")
    assert re.search(r"There is no event 999: the run has events 0 to \d+, in \d+ steps. The program stopped", stopped)
    assert "tensor([1., 1.])" in stopped and over
    assert "There is no event 999: the run has events" in after and "`restart` begins again." in after
    assert "the past: line 2, event 3" in after


def test_commands_through_a_pipe_and_a_failing_program(piped, tmp_path):
    program = (
        "import sys, torch\nprint(sys.argv[1:], repr(sys.stdin.read()))\nw = torch.ones(2, requires_grad=True)\n"
        "y = (w * w).sum()\ny.backward()\ntry:\n    raise KeyError(1)\nexcept KeyError:\n    pass\ny.backward()\n"
    )
    commands = "# a comment\n\nb exception RuntimeError\nc\nlocals\nwhy\nc\nwhy error\nback\nforward\nevents\ngoto 4\n"
    done = piped(tmp_path, program, commands, "program.py", "a", "--b")
    said = done.stdout
    assert "['a', '--b'] ''\n" in said
    assert "(backscope) b exception RuntimeError\n1: exception RuntimeError\n" in said
    assert re.search(r"RuntimeError was raised: Trying to .*\.\.\. program.py:10", said.replace("\n", " "))
    assert "y = tensor(2., grad_fn=<SumBackward0>)" in said
    assert "The program is over, with exit status 1." in said
    assert "Fix: " in said
    assert "Traceback (most recent call last):" in done.stderr
    assert done.returncode == 1
    assert said.count("the past: ") >= 2
    assert all(len(line) <= 100 for line in said.splitlines())


def test_why_at_an_exception_that_is_not_recorded_yet(piped, tmp_path):
    """It is not the exception that was caught before, which has another reason."""
    program = (
        "import torch\nw = torch.ones(2, requires_grad=True)\ntry:\n    (w * 2).backward()\nexcept RuntimeError:\n"
        "    pass\nraise ValueError('mine')\n"
    )
    ran = piped(tmp_path, program, "b exception ValueError\nc\nwhy\nc\nwhy\n", "program.py")
    stopped, _, over = ran.stdout.partition("The program is over")
    answer = stopped.partition("(backscope) why")[2]
    assert "ValueError was raised: mine\n`why` works once" in answer and "only for a single number" not in answer
    assert "ValueError at line 7: mine" in over


def test_the_program_keeps_its_input_where_commands_are_in_a_file(piped, tmp_path):
    (tmp_path / "commands").write_text("b 2\nc\np 1 + 1\ncontinue\nquit\n")
    program = "import sys\nprint(sys.stdin.read().upper())\nsys.exit(3)\n"
    done = piped(tmp_path, program, "from a pipe", "--commands", "commands", "program.py")
    assert "FROM A PIPE" in done.stdout
    assert "(backscope) p 1 + 1\n2\n" in done.stdout
    assert done.returncode == 3


@pytest.mark.parametrize("option", [["--commands", "commands"], ["--commands=commands"]])
def test_the_file_of_commands_may_be_named_behind_that_of_the_program(option, piped, tmp_path):
    (tmp_path / "commands").write_text("continue\nquit\n")
    done = piped(tmp_path, "import sys\nprint(sys.argv[1:])\n", "", "program.py", *option, "--commands", "mine")
    assert "['--commands', 'mine']" in done.stdout
    assert "The program is over" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no file that is always full")
def test_an_output_that_is_full_is_an_error(tmp_path):
    """By a message and the exit status."""
    file = tmp_path / "p.py"
    file.write_text("print(1)\n")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "backscope_server", "debug", str(file)],
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.stderr == "backscope: cannot write what the debugger shows: No space left on device\n"
    assert done.returncode == 1


def test_files_that_cannot_be_read_are_errors(tmp_path, capsys):
    (tmp_path / "program.py").write_text("")
    assert cli.main(["debug", "--commands", str(tmp_path / "nowhere"), str(tmp_path / "program.py")]) == 2
    assert capsys.readouterr().err == f"backscope: cannot read {tmp_path / 'nowhere'}: No such file or directory\n"
    assert cli.main(["debug", str(tmp_path / "nowhere.py")]) == 2
    assert capsys.readouterr().err == f"backscope: cannot read {tmp_path / 'nowhere.py'}: No such file or directory\n"


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        ("import os\nprint('x', flush=True)\nos._exit(7)\n", 7, "The program is over, with exit status 7."),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", 137, "The program was ended by SIGKILL."),
        ("x = (\n", 1, "The program is over, with exit status 1."),
        ("import sys\nsys.exit('that was it')\n", 1, "that was it"),
        ("import atexit\natexit.register(print, 'last words', flush=True)\n", 0, "last words"),
        ("", 0, "The program is over, with exit status 0."),
    ],
)
def test_every_way_a_program_ends(inside, tmp_path, capfd, program, status, said):
    assert inside(tmp_path, program, "continue\nstep\nback\nwhy\ngraph\nlist\nsaved\nwhere\nlocals\n") == status
    shown = capfd.readouterr()
    assert said in shown.out + shown.err
    assert "Traceback" not in shown.out


def test_a_restart_has_the_same_breakpoints_and_the_same_numbers(inside, tmp_path, capfd):
    (tmp_path / "neighbour.py").write_text("import random\nloaded = random.random()\n")
    program = "import torch, neighbour\nx = torch.rand(2)\nprint(x, neighbour.loaded)\nprint('end')\n"
    assert (
        inside(
            tmp_path,
            program,
            f"b 4\nwatch x.tolist()\nc\nrestart\nc\nc\nsave {tmp_path}/a.backscope\nsave /dev/null/x\nsave\n",
        )
        == 0
    )
    out = capfd.readouterr().out
    printed = [line for line in out.splitlines() if line.startswith("tensor(")]
    assert len(printed) == 2
    assert printed[0] == printed[1]
    assert out.count("breakpoint 1 (line 4)") == 2
    assert b"program_finished" in list(trace.read(tmp_path / "a.backscope"))[-1]
    assert "Cannot write /dev/null/x: Not a directory." in out
    assert out.count("x.tolist() = [") == 2


def test_an_answer_names_values_changed_by_hand(inside, tmp_path, capfd):
    program = """\
import torch
w = torch.ones(2, requires_grad=True)
for i in range(3):
    (w * (i + 1)).sum().backward()
"""
    commands = "break MulBackward0 if i == 1\nc\nset w.grad[0] = 100\nwhy #99\nc\nwhy w\n"
    assert inside(tmp_path, program, commands) == 0
    out = capfd.readouterr().out.replace("\n", " ")
    assert "There is no node #99." in out
    assert "w.grad is the sum of 3 gradients" in out
    assert "In the debugger, w.grad[0] was set to 100 at line 4: that is in it too." in out


def test_end_runs_past_all_breakpoints_from_the_past_too(inside, tmp_path, capfd):
    status = inside(tmp_path, PROGRAM, "break 11\nbreak nan\ncontinue\nback\nend\n")
    said = capfd.readouterr().out
    assert status == 0
    assert "From now, not from the past" in said
    assert "round 0" in said and "round 1" in said
    assert said.count("breakpoint 1 (") == 1
    assert "The program is over, with exit status 0." in said
