"""torch.autocast on the CPU: every function that it is about casts, wherever the engine knows it, and only inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.ops.core import casting
from backscope.program.runner import run
from backscope.protocol import events as ev

PROGRAM = """
net = torch.nn.Linear(2, 1)
with torch.autocast("cpu"):
    out = net(torch.ones(1, 2))
out.float().sum().backward()
print(out.dtype, net.weight.grad.dtype, net(torch.ones(1, 2)).dtype)
"""


def test_casts_are_steps(record: Callable[..., Any]) -> None:
    """Weight and bias are cast by ops of their own, as the result is by the program."""
    log = record(PROGRAM)
    assert log.one(ev.OutputPrinted).text == "torch.bfloat16 torch.float32 torch.float32\n"
    casts = [e for e in log.of(ev.OpApplied) if e.node is not None and e.node.name == "ToCopyBackward0"]
    assert len(casts) == 3


def test_programs_begin_without_it() -> None:
    """A program that leaves autocast on does not cast for the next one."""
    for source, dtype in (("torch.set_autocast_enabled('cpu', True)", "bfloat16"), ("", "float32")):
        written: list[bytes] = []
        run(f"import torch\n{source}\nprint(torch.ones(1, 1).mm(torch.ones(1, 1)).dtype)", written.append)
        told = [ev.decode(line) for line in b"".join(written).splitlines()]
        assert [e.text for e in told if isinstance(e, ev.OutputPrinted)] == [f"torch.{dtype}\n"]


def test_every_name_of_the_policies_is_a_function() -> None:
    """A function that was renamed would silently not cast any more."""
    casting.arm()
    known = {name for holder in casting._holders() for name, f in holder.items() if hasattr(f, "casting")}
    known |= {name for name, f in vars(casting.Tensor).items() if hasattr(f, "casting")}
    assert set(casting._POLICIES) - known == {"mkldnn_rnn_layer"}  # An op, not a function.
