"""Protects questions about time at a terminal: back to a breakpoint, the first NaN, a write; prints added later."""

from __future__ import annotations

import pytest

TRAINING = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w[step % 2].sub_(0.25)
    w.grad = None
bad = torch.log(w - w)
worse = bad * 2
"""


@pytest.fixture
def debug(inside, tmp_path, capfd):
    """Return a function that runs commands, separated by semicolons, and returns the output."""

    def debug(commands, program=TRAINING):
        inside(tmp_path, program, commands.replace("; ", "\n") + "\n")
        return capfd.readouterr().out

    return debug


def test_back_to_a_breakpoint(debug):
    said = debug("break MulBackward0; break 7 if step == 1; end" + 4 * "; back break; p step")
    steps = [part.split("p step\n")[1].split("\n")[0] for part in said.split("back break")[1:]]
    assert steps == ["2", "1", "1", "0"], "the condition holds in round 1 alone"


def test_back_to_a_breakpoint_says_that_there_is_none(debug):
    assert "No breakpoint is set." in debug("end; back break")
    assert "\nBefore this moment the program was at no breakpoint." in debug("break matmul; end; back break")
    said = debug("break 5; end" + 4 * "; back break")
    assert "This moment is at a breakpoint. Before this moment the program was at no" in said


def test_back_to_the_first_nan(debug):
    said = debug("end; back nan; list; now; back 99; forward 2; back nan")
    assert "-> 9  bad = torch.log(w - w)" in said
    assert "No value that is not finite came before this moment." in said


def test_back_to_the_last_write_of_a_tensor_its_grad_or_an_element(debug):
    said = debug(
        "end; back w; p step; back w; p step; now; back w[1]; p step; back w[1]; now; back w.grad; list; "
        "back w.grad[0]; list"
    )
    parts = said.split("back w")
    assert "\n2\n" in parts[1], "the last round wrote w[0]"
    assert "\n1\n" in parts[2]
    assert "\n1\n" in parts[3], "only round 1 wrote w[1]"
    assert "line 2" in parts[4], "before that, it was made"
    assert "-> 8      w.grad = None" in parts[5]
    assert "w.grad was None; it is now [1.5, 3.5]" in parts[6]
    assert "was not written before this moment" in debug("end; back 99; forward 2; back w.grad")
    assert "No variable nothing" in debug("end; back nothing")


def test_a_print_that_is_added_afterwards(debug):
    said = debug("end; log 5 loss.item(); log 5 unknown; log 1 2; log 99 2; log 5 loss +; log mul 1; log x")
    values = [line.split()[-1] for line in said.split("log 5")[1].splitlines() if line.startswith("  step")]
    assert values == ["5.0", "4.5625", "3.625"]
    assert "NameError" in said.split("log 5")[2]
    assert "step 1      2" in said
    assert "No statement begins at line 99 or after it." in said
    assert "'loss +' is not an expression" in said
    assert said.count("A line and an expression are needed.") == 2


WITHOUT_STEPS = """\
import torch
w = torch.ones(2, requires_grad=True)
for i in range(3):
    k = i * 10
    y = (w * k).sum()
"""


def test_a_print_has_what_lines_without_steps_have_bound(debug):
    said = debug("end; log 5 k; log 4 i; log 5 y", WITHOUT_STEPS)
    values = [line.split()[2] for line in said.splitlines() if line.startswith("  step")]
    assert values == ["0", "10", "20", "0", "1", "2", "NameError:", "tensor(0.,", "tensor(20.,"]


def test_hits_and_conditions_apply_in_the_past(debug):
    said = debug("break 5 hits 2; break MulBackward0 hits 3; end" + 4 * "; back break; p step")
    steps = [part.split("p step\n")[1].split("\n")[0] for part in said.split("back break")[1:]]
    assert steps[:3] == ["2", "2", "1"], "the second and the third pass of line 5, the third node"
    assert "This moment is at a breakpoint. Before this moment the program was at no" in said
