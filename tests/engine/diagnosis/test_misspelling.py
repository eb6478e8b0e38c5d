"""Protects the suggestion for a name that is not defined: the program's or Python's name that was likely meant."""

from __future__ import annotations

import pytest

from backscope.program import runner
from backscope.protocol import events as ev


def raised(source):
    written = []
    runner.run("import torch\n" + source, written.append)
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    return next(event for event in events if isinstance(event, ev.ErrorRaised))


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("x = torch.tensor(2.0, requires_grad=true)", "True"),
        ("x = none", "None"),
        ("weight = 1\nwieght + 1", "weight"),
        ("def f(gradient):\n    return graident\nf(1)", "gradient"),
        ("pritn(1)", "print"),
        ("Torch.ones(1)", "torch"),
    ],
)
def test_the_nearest_name_is_named(source, meant):
    found = raised(source).diagnosis
    assert found.cause.endswith(f"is not defined. Did you mean {meant}?")
    assert found.fix.startswith(f"Write {meant} in place of ")
    assert found.lines


@pytest.mark.parametrize("source", ["zzqqy", "def f():\n    print(a)\n    a = 1\nf()", "raise NameError('x')"])
def test_nothing_is_guessed(source):
    assert raised(source).diagnosis is None


def test_a_program_cannot_stand_in_the_way():
    source = "class N(str):\n    def lower(self):\n        raise SystemExit\n"
    source += "globals()[N('tensro')] = 1\ntensor_ = 1\ntensr_"
    assert raised(source).diagnosis.cause.endswith("Did you mean tensor_?")
