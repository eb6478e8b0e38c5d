"""Listener: it has every moment that the engine calls, and changes nothing of a program that it listens to."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import backscope
from backscope.autograd import anomaly
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.recorder import Recorder
from backscope.runtime.listener import Forwarding, Listener, moments
from backscope.runtime.listening import hub

PROGRAM = """
import warnings
from backscope import torch

checkpoint, grad, vmap = torch.utils.checkpoint.checkpoint, torch.func.grad, torch.func.vmap

torch.manual_seed(0)
found = []

class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2

model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
model[1].register_full_backward_hook(lambda module, given, sent: None)
handle = model[0].weight.register_hook(lambda g: g * 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
second = torch.optim.LBFGS(model.parameters(), max_iter=2)
x = torch.randn(5, 3)
for _ in range(2):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
handle.remove()

def closure():
    second.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    return loss

second.step(closure)
w = torch.randn(3, requires_grad=True)
w.retain_grad()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
    y = Doubled.apply(w) * w
y.retain_grad()
y.sum().backward()
first = (w.exp() * w).sum()
first.backward()
first = checkpoint(lambda t: t.sin(), w, use_reentrant=False) + checkpoint(lambda t: t.cos(), w, use_reentrant=True)
first.sum().backward()
(g,) = torch.autograd.grad((w ** 3).sum(), w, create_graph=True)
g.sum().backward()
found += [y.grad, w.grad, grad(lambda t: (t * t).sum())(w.detach()), vmap(lambda t: t * 2)(x)]
z = w.detach()
z.requires_grad_()
u = z * 1
u[:2].mul_(2)
u.sum().backward()
z.grad = None
z.data = torch.ones(3)
u = z.data + u
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(z, torch.ones(3))
    found.append(torch.autograd.forward_ad.unpack_dual(dual * 2).tangent)
with torch.inference_mode():
    found.append(z * 3)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    with torch.autograd.detect_anomaly():
        v = (z * 2).sum()
        v.backward()
        try:
            (z * 0).sqrt().mul(0).sum().backward()
        except RuntimeError as error:
            found.append(str(error))
q = torch.ones(2, requires_grad=True)
s = (q * 2).exp()
s.sum().backward()
try:
    s.sum().backward()
except RuntimeError as error:
    found.append(str(error))
found += [z.grad, u, q.grad, *[p.detach() for p in model.parameters()], *[p.grad for p in model.parameters()]]
found = [one if isinstance(one, str) else one.tolist() for one in found]
"""

CALL = re.compile(r"\blistener\.(\w+)\(|\b(?:behind|listener)\.(gradients_sent)\b")


def run() -> list[Any]:
    """What the program found."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(PROGRAM, "<program>", "exec"), space)
    found: list[Any] = space["found"]
    return found


@pytest.fixture
def plain(ours: Any) -> list[Any]:
    """Return what the program computes without a listener."""
    return run()


def listened(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what the program computes with a listener."""
    monkeypatch.setattr(hub, "listener", listener)
    found = run()
    assert hub.listener is listener
    return found


def test_a_plain_listener_changes_nothing(plain: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every method can be called as the engine calls it, and what it returns is taken back."""
    assert listened(Listener(), monkeypatch) == plain
    assert listened(Forwarding(None), monkeypatch) == plain
    assert listened(Forwarding(Listener()), monkeypatch) == plain


class Counting(Listener):
    """Notes which moments it was called at, and whether with arguments that Listener takes."""

    def __init__(self, waits: bool) -> None:
        self.called: set[str] = set()
        if waits:
            self.waits = lambda *_: True


def _counting(name: str) -> Callable[..., Any]:
    declared = getattr(Listener, name)
    signature = inspect.signature(declared)

    def method(self: Counting, *given: Any, **named: Any) -> Any:
        signature.bind(self, *given, **named)
        self.called.add(name)
        return declared(self, *given, **named)

    return method


for _name in moments(Listener):
    setattr(Counting, _name, _counting(_name))


def test_the_program_has_every_moment(plain: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above leaves none out; grad_replaced needs a debugger."""
    called: set[str] = set()
    for waits in (False, True):
        for listener in (counting := Counting(waits), Forwarding(Counting(waits))):
            assert listened(listener, monkeypatch) == plain
            behind = listener.behind if isinstance(listener, Forwarding) else counting
            assert isinstance(behind, Counting) and behind.called == counting.called
        called |= counting.called
        assert ("stored" in counting.called) is not waits
    assert called == {*moments(Listener)} - {"grad_replaced"}


def test_what_the_engine_calls_is_a_moment() -> None:
    """Also where the call is in source text that is compiled later, which no type check sees."""
    names: set[str] = set()
    for path in Path(backscope.__file__).parent.rglob("*.py"):
        names |= {first or second for first, second in CALL.findall(path.read_text("utf-8"))}
    assert names - {"waits"} == {*moments(Listener)}


def test_the_recorder_takes_what_a_listener_takes() -> None:
    """The names and kinds of the arguments, as the engine gives some by name."""
    recorder = Recorder(lambda batch: None)
    for name in moments(ProgramListener):
        declared = list(inspect.signature(getattr(ProgramListener, name)).parameters.values())[1:]
        taken = inspect.signature(getattr(recorder, name)).parameters.values()
        assert [(p.name, p.kind, p.default) for p in taken] == [(p.name, p.kind, p.default) for p in declared], name


def test_anomaly_mode_forwards_to_who_comes_later(plain: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener that is put behind another one while it listens."""
    monkeypatch.setattr(hub, "listener", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anomaly.set_anomaly_enabled(True)
    try:
        assert isinstance(hub.listener, Forwarding) and hub.listener.behind is None
        counting = hub.listener.behind = Counting(False)
        exec("from backscope import torch\n(torch.ones(2, requires_grad=True) * 2).sum().backward()", {})
    finally:
        anomaly.set_anomaly_enabled(False)
    assert {"created", "applied", "op", "backward_started", "backward_finished"} <= counting.called
    left: Listener | None = hub.listener
    assert left is counting
