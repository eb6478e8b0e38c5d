"""Programs that would bend a recording by how they are written: their logs stay whole, and the same in every run."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from types import FunctionType, ModuleType
from typing import Any

import pytest

from backscope.program.recorded_stream import LARGEST_PRINT
from backscope.program.runner import run
from backscope.protocol import events as ev
from backscope.recorder.identities import Identities
from backscope.recorder.journal import LOST, Journal
from backscope.recorder.pending_values import PendingValues
from backscope.torch._backend.import_hook import Alias

INDEXING = """
import torch
import numpy as np
x = torch.randn(20, 4, requires_grad=True)
index = np.array([1, 2])
for i in range(40):
    y = x.gather(1, torch.tensor([[0, 1]] * 20)).sum() + x[torch.tensor([1, 2])].sum() + x[index].sum()
    index[0] = i % 20
    mask = x > 0
    (y + x[mask].sum() + x.masked_fill(mask, 0.0).sum()).backward()
"""


def test_when_a_journal_drains_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment keeps no argument alive and shows none as it became later: the log is the same for any batch."""
    logs = []
    for batch in (1, 7, 512):
        monkeypatch.setattr(Journal, "BATCH", batch)
        written: list[bytes] = []
        assert run(INDEXING, written.append) == "ok"
        logs.append(b"".join(written))
    assert logs[0] == logs[1] == logs[2]


def test_texts_with_lone_surrogates(record: Callable[..., Any]) -> None:
    """Errors, warnings and hook names that JSON can't carry are escaped."""
    found = record(
        "import torch, warnings\n"
        "x = torch.ones(1, requires_grad=True)\n"
        "def hook(g):\n    return None\n"
        "hook.__name__ = 'h\\ud800'\n"
        "x.register_hook(hook)\n"
        "(x * 2).sum().backward()\n"
        "warnings.warn('w\\ud800')\n"
        "raise ValueError('e\\ud800')\n"
    )
    assert found.status == "error"
    assert found.of(ev.HookRan)[0].hook == "h\\ud800"
    assert found.of(ev.WarningRaised)[0].message == "w\\ud800"
    assert found.of(ev.ErrorRaised)[-1].message == "e\\ud800"


def test_a_text_that_exits(record: Callable[..., Any]) -> None:
    """An exception whose __str__ exits is reported like any other."""
    found = record("class E(Exception):\n    def __str__(self):\n        raise SystemExit(3)\nraise E()\n")
    assert found.status == "error" and found.of(ev.ErrorRaised)[0].type == "E"


def test_a_key_without_a_text(record: Callable[..., Any]) -> None:
    """A dict key whose __repr__ raises does not end the program."""
    found = record(
        "import torch\n"
        "class K:\n    def __repr__(self):\n        raise ValueError\n"
        "d = {K(): torch.ones(1)}\nprint('on')\n"
    )
    assert (found.status, found.stdout) == ("ok", "on\n")


def test_a_property_is_not_read_again(record: Callable[..., Any]) -> None:
    """After `self.x = v` nothing of the user's runs: a getter that prints, or none at all."""
    found = record(
        "class A:\n"
        "    def set(self):\n        self.loud = 1\n        self.mute = 2\n"
        "    loud = property(lambda self: print('read'), lambda self, v: None)\n"
        "    mute = property(None, lambda self, v: None)\n"
        "A().set()\n"
    )
    assert (found.status, found.stdout) == ("ok", "")


def test_a_long_expression(record: Callable[..., Any]) -> None:
    """A sum of 900 terms nests deeper than a visitor of expressions could go."""
    assert record(f"print({' + '.join(['1'] * 900)})\n").stdout == "900\n"


def test_a_long_print_is_several_events(record: Callable[..., Any]) -> None:
    """No event grows with what a program prints at once."""
    found = record(f"print('x' * {LARGEST_PRINT * 3})\n")
    texts = [e.text for e in found.of(ev.OutputPrinted)]
    assert len(texts) == 4 and max(map(len, texts)) == LARGEST_PRINT and len(found.stdout) == LARGEST_PRINT * 3 + 1


def test_a_loop_binds_its_name_again(record: Callable[..., Any]) -> None:
    """`for p in params` records the tensor that p is bound to in every round."""
    found = record(
        "import torch\na, b = torch.ones(1), torch.zeros(1)\nfor i in range(2):\n    for p in (a, b):\n        pass\n"
    )
    bound = [e.tensor for e in found.of(ev.TensorNamed) if e.name == "p"]
    assert len(bound) == 4 and bound[:2] == bound[2:]


def test_in_place_by_a_number_clones_nothing(record: Callable[..., Any]) -> None:
    """mul_(2) saves nothing of the tensor that it changes; mul_ by a tracked tensor does."""
    source = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 1\ny.mul_({})\n"
    assert [e.op for e in record(source.format("2")).of(ev.OpApplied)] == ["mul", "mul_"]
    assert "clone" in [e.op for e in record(source.format("x")).of(ev.OpApplied)]


def bare(source: str) -> str:
    """Return what a program prints without a recording."""
    module = ModuleType("__main__")
    with Alias(), redirect_stdout(io.StringIO()) as printed, pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", module)
        exec(compile(source, "program.py", "exec"), module.__dict__)  # noqa: S102
    return printed.getvalue()


ASKED = """
import torch
asked = []
class Loud:
    def __repr__(self): asked.append("repr"); return "x" * 100_000
    def __str__(self): asked.append("str"); raise SystemExit(9)
    def __eq__(self, other): asked.append("eq"); raise ValueError("eq")
    def __hash__(self): asked.append("hash"); return 1
    def __getattr__(self, name): asked.append(name); raise KeyError(name)
    @property
    def __class__(self): asked.append("class"); return dict
    def __len__(self): asked.append("len"); raise TypeError("len")
    def __bool__(self): asked.append("bool"); raise TypeError("bool")
    def __sizeof__(self): asked.append("sizeof"); return -1
    def __iter__(self): asked.append("iter"); raise TypeError("iter")
class List(list):
    def __len__(self): asked.append("list len"); return 3
    def __iter__(self): asked.append("list iter"); return iter(())
    def __repr__(self): asked.append("list repr"); return "L"
class Dict(dict):
    def items(self): asked.append("items"); return []
    def __len__(self): asked.append("dict len"); return 1
class Meta(type):
    def __getattribute__(cls, name):
        asked.append(f"meta {name}")
        return type.__getattribute__(cls, name)
class Odd(metaclass=Meta):
    pass
class Closed:
    __slots__ = ("a",)
    def __getattribute__(self, name):
        asked.append(f"getattribute {name}")
        return object.__getattribute__(self, name)
    def fill(self):
        self.a = torch.ones(1)
class Error(Exception):
    def __str__(self): asked.append("error"); return "!"
loud = Loud()
x = torch.ones(3, requires_grad=True)
"""
"""Objects that note which of their special methods run; most of these methods raise."""

QUIET = {
    "names": "held = List([torch.ones(1), loud])\ntable = Dict(a=torch.ones(1))\ntable = {loud: torch.ones(1)}",
    "attributes": "closed = Closed()\nclosed.fill()",
    "containers": "plain = [loud, {'k': loud}, (loud,)]\nplain.append(loud)\nfor each in plain:\n    pass",
    "errors": "for error in (Error(loud), KeyError(loud), ValueError([loud])):\n"
    "    try:\n        raise error\n    except Exception:\n        pass",
    "a custom Function": "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, a, b):\n"
    "        ctx.a, ctx.b = a, loud\n        return x * 2\n    @staticmethod\n    def backward(ctx, g):\n"
    "        return g, None, None\nF.apply(x, loud, List([loud])).sum().backward()",
    "what hooks pack": "with torch.autograd.graph.saved_tensors_hooks(lambda t: [loud, t], lambda p: p[1]):\n"
    "    y = x * x\ny.sum().backward()",
    "hooks": "class Hook(Loud):\n    def __call__(self, g): return None\n(x * 1).register_hook(Hook())",
    "an optimizer": "o = torch.optim.SGD([{'params': [x], 'tag': loud, loud: 1}], lr=0.1)\n"
    "x.sum().backward()\no.step()",
    "a module without its attributes": "m = torch.nn.Linear(3, 2)\ndel m.in_features\nm.out_features = loud\nm(x)",
    "a class": "odd = Odd()\ntable = {'a': odd}",
}


@pytest.mark.parametrize("what", QUIET)
def test_a_recording_runs_no_special_method_of_objects(what: str, record: Callable[..., Any]) -> None:
    """The same special methods run as without a recording, also those that raise."""
    source = f"{ASKED}{QUIET[what]}\nprint(asked)\n"
    found = record(source)
    assert found.status == "ok"
    assert found.stdout == bare(source)
    assert LOST not in [e.category for e in found.of(ev.WarningRaised)]


def test_an_error_of_the_recording_does_not_reach_the_program(
    record: Callable[..., Any], lost: list[Exception]
) -> None:
    """Whichever of its methods fails, the program prints what it prints otherwise, and the log is whole."""
    source = (
        "import torch\nm = torch.nn.Linear(2, 1)\no = torch.optim.SGD(m.parameters(), lr=0.1)\n"
        "x = torch.ones(3, 2)\nfor _ in range(2):\n    y = m(x).relu().sum() * 2\n    o.zero_grad()\n"
        "    y.backward()\n    o.step()\n    print(m.weight)\n"
    )
    expected = record(source).stdout

    def fails(*given: Any, **named: Any) -> Any:
        raise KeyError("a fault")

    of_identities = [(Identities, name) for name in ("token", "info", "node_info", "node_id")]
    of_values = [(PendingValues, name) for name in ("gradient", "value", "array")]
    for owner, part in (*of_identities, *of_values):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, part, FunctionType(fails.__code__, {**globals(), "__name__": "backscope.fault"}))
            found = record(source)
        assert found.stdout == expected, part
        assert [e.seq for e in found.events] == list(range(len(found.events)))
        assert [e.category for e in found.of(ev.WarningRaised)][:1] == [LOST], part
    lost.clear()
