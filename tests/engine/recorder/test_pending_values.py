"""Protects values held by reference: they are recorded as they were at their moment, whenever the journal drains."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from backscope.program import runner
from backscope.protocol import events as ev
from backscope.recorder import pending_values
from backscope.recorder.journal import LOST, Journal
from backscope.recorder.recorder import Recorder
from backscope.runtime.listening import hub
from backscope.summary import summary

GOLDEN = Path(__file__).parents[2] / "golden" / "programs"

LARGE = """
import torch, numpy
torch.manual_seed(0)
x = torch.randn({n}, requires_grad=True)
w = torch.randn({n}, requires_grad=True)
"""

PROGRAMS = {
    "in place": """
y = x + w
y.mul_(2)
z = y + 1
with torch.no_grad():
    x.add_(1)
    x[3:7] = 5
z.sum().backward()
""",
    "views": """
y = x.detach() * 1
v = y[1:]
u = v * 2
v.zero_()
y.fill_(3)
t = y.view(2, -1).t()
t.neg_()
""",
    "numpy": """
y = x.detach() * 1
a = y.numpy()
z = y + 1
a[:] = 7
z = y * 2
a[0] = 9
b = numpy.ones({n}, 'f')
t = torch.from_numpy(b)
u = t + 1
b[1] = 4
u = t + 1
s = t.untyped_storage()
""",
    "data": """
y = x * 2
x.data.mul_(3)
x.data = torch.ones({n})
y.sum().backward()
x.grad.zero_()
x.grad.data.fill_(2)
""",
    "accumulation": """
for _ in range(3):
    (x * w).sum().backward()
(x + w).sum().backward()
x.grad = None
(x + w).sum().backward()
""",
    "optimizer": """
opt = torch.optim.{opt}([x, w], lr=0.1)
for _ in range(3):
    opt.zero_grad()
    (x * w * w).sum().backward()
    opt.step()
""",
    "hooks": """
h = x.register_hook(lambda g: g.mul_(2))
y = x * w
y.register_hook(lambda g: g * 2)
y.sum().backward()
""",
    "stolen": """
(x * 1).backward(torch.ones({n}))
print(x.grad._version)
(w + 0).backward(w.detach())
print(w.grad._version)
y = x + w
(y + y).sum().backward()
print(x.grad._version, w.grad._version)
""",
    "norms": """
n = torch.nn.BatchNorm1d({n})
for _ in range(2):
    n(torch.randn(4, {n})).sum().backward()
""",
    "embedding": """
e = torch.nn.Embedding(100, {n} // 20, max_norm=1.0)
e(torch.tensor([3, 5])).sum().backward()
""",
    "conjugates": """
c = torch.ones({n}, dtype=torch.complex64)
d = c.conj()
c.mul_(2j)
d.add_(1)
print(c[0])
""",
    "an error in the middle": """
y = (x * w).exp()
y.add_(1)
try:
    y.sum().backward()
except RuntimeError:
    y.zero_()
z = y + 1
""",
    "not finite": """
x.data[3] = float('nan')
y = x / 0
y.sum().backward()
x.data[3] = 0
""",
}


def logged(source: str, monkeypatch: pytest.MonkeyPatch, *, batch: int, held: int) -> bytes:
    """The log of a program that drains each `batch` moments and holds at most `held` bytes."""
    written: list[bytes] = []
    monkeypatch.setattr(Journal, "BATCH", batch)
    monkeypatch.setattr(pending_values, "HELD_BYTES", held)
    monkeypatch.setattr(runner.Pace, "start", lambda self: None)
    monkeypatch.setattr(runner.Pace, "__call__", lambda self: None)
    runner.run(source, written.append)
    return b"".join(written)


@pytest.mark.parametrize("size", [6, 5000])
@pytest.mark.parametrize("name", [*PROGRAMS, *[f"{p.stem}.py" for p in GOLDEN.glob("*.py")]])
def test_the_log_does_not_depend_on_when_it_drains(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each moment, at the end, and with every value captured at once: the same bytes."""
    if name in PROGRAMS:
        source = (LARGE + PROGRAMS[name]).replace("{n}", str(size)).replace("{opt}", "Adam")
    elif size == 6:
        source = (GOLDEN / name).read_text("utf-8")
    else:
        pytest.skip("a program of one size")
    late = logged(source, monkeypatch, batch=10**9, held=1 << 30)
    assert b'"status":"ok"' in late or name not in PROGRAMS
    assert logged(source, monkeypatch, batch=1, held=1 << 30) == late
    assert logged(source, monkeypatch, batch=10**9, held=0) == late
    assert logged(source, monkeypatch, batch=7, held=1 << 16) == late


FIRST_GRADIENTS = """
import torch
x = torch.randn({n}, requires_grad=True)
t = torch.randn(3, {n}).t().requires_grad_()
s = torch.tensor(2.0, requires_grad=True)
u = torch.tensor(1.0, requires_grad=True)
for p in (x, t, s):
    p.register_post_accumulate_grad_hook(lambda p: None)
(x * s + t.sum(1) + (x - u)).sum().backward()
x.grad = s.grad = None
((x * s).sum() + s).backward(retain_graph=True)
t.backward(torch.ones(t.shape))
"""


@pytest.mark.parametrize("size", [6, 500, 5000])
def test_a_first_gradient_is_recorded_by_one_moment_as_by_two(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new `.grad` is recorded: taken over, copied, in another layout, of a number, for a leaf without a token."""
    source = FIRST_GRADIENTS.replace("{n}", str(size))
    log = logged(source, monkeypatch, batch=512, held=1 << 30)
    monkeypatch.setattr(Recorder, "waits", property(lambda _: lambda *_: True, lambda *_: None))
    assert b'"origin":"grad"' in log and b'"status":"ok"' in log
    assert log == logged(source, monkeypatch, batch=512, held=1 << 30)


def test_views_of_one_memory_are_counted_once(ours: Any) -> None:
    """Views that are held count the memory that they keep once, also after the first of them is captured."""
    recorder = Recorder(lambda batch: None, globals())
    memory = ours.ones(5000)._data
    views = [memory[i:] for i in range(10)]
    try:
        values = [recorder.values.value(v) for v in views]
        assert recorder.values.held_bytes == memory.nbytes
        values[0].capture()
        recorder.values.let_go()
        assert recorder.values.held_bytes == memory.nbytes
        memory[5:] = 2
        recorder.values.before_change(memory)
        assert recorder.values.held_bytes == 0 and not recorder.values.held
    finally:
        hub.keeper = None


def test_large_arrays_are_recorded_as_they_were(record: Any) -> None:
    """A value that is overwritten before its event is written has the numbers from before."""
    run = record("x = torch.ones(5000)\ny = x * 2\ny.zero_()\nx.fill_(5)\n")
    made = next(e for e in run.of(ev.OpApplied) if e.op == "mul").outputs[0].value
    assert made.values == [2.0] * 16 and made.norm == pytest.approx(2 * 5000**0.5)
    assert [e.value.values[0] for e in run.of(ev.TensorMutated)] == [0.0, 5.0]


def test_what_the_program_may_write_to_is_captured_at_once(ours: Any) -> None:
    """Memory that was given out as a numpy array is captured at once; other memory is held."""
    recorder = Recorder(lambda batch: None, globals())
    seen, unseen = ours.ones(5000), ours.ones(5000)
    seen.numpy()
    try:
        assert recorder.values.value(seen._data) is not recorder.values.value(seen._data)
        assert recorder.values.value(seen._data[3:]).__class__ is recorder.values.value(seen._data).__class__
        assert recorder.values.value(unseen._data) is recorder.values.value(unseen._data)
        assert recorder.values.holds(unseen._data) and not recorder.values.holds(seen._data)
    finally:
        hub.keeper = None


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, ours: Any) -> None:
    """Many large results without a pause, and one that is larger than all that may be held."""
    monkeypatch.setattr(pending_values, "HELD_BYTES", 1 << 20)
    monkeypatch.setattr(Journal, "BATCH", 10**9)
    written: list[bytes] = []
    recorder = hub.listener = Recorder(written.append, globals())
    most = 0
    try:
        x = ours.ones(10_000)
        for _ in range(200):
            x = x * 1.0
            most = max(most, sum(h.keeps for h in recorder.values.held.values()))
        ours.ones(2_000_000)
    finally:
        hub.listener = hub.keeper = None
    assert 0 < most <= 1 << 20
    assert all(h.keeps <= 1 << 18 for h in recorder.values.held.values())
    recorder.drain()
    assert not recorder.values.held and not recorder.values.views and recorder.values.held_bytes == 0
    made = [ev.decode(line) for line in b"".join(written).splitlines()]
    assert sum(isinstance(e, ev.OpApplied) for e in made) == 200


def test_moments_are_bounded(monkeypatch: pytest.MonkeyPatch, ours: Any) -> None:
    """A long program drains as it goes, without a timer."""
    recorder = hub.listener = Recorder(lambda batch: None, globals())
    most = 0
    try:
        y = ours.tensor(1.0, requires_grad=True)
        for _ in range(5_000):
            y = y * 1.0001
            most = max(most, len(recorder.journal.moments))
        y.backward()
    finally:
        hub.listener = None
    assert most <= Journal.BATCH + 4 and len(recorder.journal.moments) <= Journal.BATCH + 4


def test_listening_takes_over_the_same_gradients(ours: Any) -> None:
    """A gradient without another reference becomes `.grad` without a copy, with and without a recording."""

    def versions() -> list[int]:
        x, b = (ours.ones(5000, requires_grad=True) for _ in range(2))
        ((x * 2 + b) * 3).sum().backward()
        (x * 2).backward(ours.ones(5000))
        return [x.grad._version, b.grad._version]

    silent = versions()
    hub.listener = Recorder(lambda batch: None, globals())
    try:
        assert versions() == silent
    finally:
        hub.listener = hub.keeper = None


def test_strided_memory_has_one_owner(ours: Any) -> None:
    """A change through as_strided() reaches what is held of the memory under it."""
    recorder = hub.listener = Recorder(lambda batch: None, globals())
    try:
        x = ours.zeros(6000)
        held = recorder.values.value(x._data)
        x.as_strided((3000,), (2,)).fill_(1)
        assert held.capture().norm == 0.0
        assert np.count_nonzero(x._data) == 3000
    finally:
        hub.listener = hub.keeper = None


def test_a_part_of_a_huge_array_does_not_keep_it(monkeypatch: pytest.MonkeyPatch, ours: Any) -> None:
    """A view that is held counts with the whole memory that it keeps."""
    monkeypatch.setattr(pending_values, "HELD_BYTES", 1 << 20)
    recorder = Recorder(lambda batch: None, globals())
    try:
        assert recorder.values.value(ours.ones(1000, 1000)._data[0]).__class__ is np.ndarray
        assert not recorder.values.held
    finally:
        hub.keeper = None


def test_repeated_elements_are_not_spread_out(record: Any) -> None:
    """A number expanded to more elements than memory has: its norm, its first values, its NaNs."""
    run = record("x = torch.tensor([3.0]).expand(10**12)\ny = torch.tensor([[1.0], [float('nan')]]).expand(2, 5000)\n")
    x, y = (e.outputs[0].value for e in run.of(ev.OpApplied) if e.op == "expand")
    assert (x.norm, x.nan_count, x.values) == (3e6, 0, [3.0] * 16)
    assert (y.norm, y.nan_count, y.values) == ("NaN", 5000, [1.0] * 16)


def test_the_timer_waits_while_a_change_is_told(monkeypatch: pytest.MonkeyPatch, ours: Any) -> None:
    """The timer's signal can come between any two steps: here it comes where memory is looked up."""
    written: list[bytes] = []
    recorder = Recorder(written.append)
    x = ours.ones(1000)
    monkeypatch.setattr(hub, "listener", recorder)
    y = x * 2
    builtin_id = id

    def id_and_signal(value: Any) -> int:
        recorder.drain()
        return builtin_id(value)

    monkeypatch.setattr(pending_values, "id", id_and_signal, raising=False)
    recorder.values.before_change(y._data)
    assert recorder.journal.moments and not written
    recorder.drain()
    assert written


CHANGING = """
import torch
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g.mul_(2)
x = torch.ones(6, requires_grad=True)
u, v = Doubled.apply(x * 3), x * 5
(u + v).backward(torch.ones(6), retain_graph=True)
(v * 2 + Doubled.apply(x)).reshape(2, 3).t().backward(torch.ones(3, 2))
"""


def test_what_a_node_starts_with_is_what_waited(record: Any) -> None:
    """A small gradient is recorded as it was sent, or as a Function of the program's has changed it since."""
    run = record(CHANGING)
    waiting: dict[int, Any] = {}
    for e in run.events:
        if isinstance(e, ev.NodeStarted) and e.node in waiting:
            values = waiting[e.node].values
            assert e.gradients[0].values in (values, [2 * x for x in values])
        elif isinstance(e, ev.GradientSent):
            waiting[e.to_node] = e.total or e.value
    assert any(e.value.values == [2.0] * 6 for e in run.of(ev.GradientSent))
    assert run.events[-1].status == "ok"


@pytest.mark.parametrize("broken", ["capture", "owner"])
def test_what_could_not_be_captured_is_told_without_numbers(
    broken: str, monkeypatch: pytest.MonkeyPatch, lost: list[Exception], ours: Any
) -> None:
    """A fault where a change is announced: the numbers from after it are not recorded as those from before."""
    written: list[bytes] = []
    recorder = Recorder(written.append)
    monkeypatch.setattr(hub, "listener", recorder)
    monkeypatch.setattr(hub, "keeper", None)
    x = ours.ones(5000)
    y = x * 2
    v = y[1:] * 3
    plain = summary.capture

    def fails(*given: Any) -> Any:
        if broken == "owner" or given[0] is y._data:
            raise KeyError("a fault")
        return plain(*given)

    fault = FunctionType(fails.__code__, {**globals(), "__name__": "backscope.fault"}, closure=fails.__closure__)
    with monkeypatch.context() as patch:
        patch.setattr(*((summary, "capture") if broken == "capture" else (pending_values, "owner")), fault)
        y[1:].fill_(7)
    assert y[1] == 7
    v.fill_(9)
    recorder.drain()
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    made = [e.outputs[0].value for e in events if isinstance(e, ev.OpApplied) and e.op == "mul"]
    first = made[0]
    assert (first.values, first.norm) == (([], None) if broken == "capture" else ([2.0] * 16, 2 * 5000**0.5))
    assert (first.shape, first.dtype, first.nbytes) == ([5000], "float32", 20_000)
    assert made[1].values == [6.0] * 16
    assert [e.category for e in events if isinstance(e, ev.WarningRaised)] == [LOST]
    assert [type(error) for error in lost] == [KeyError]
    lost.clear()
