"""Checks recordings of programs on a CUDA device, and prints what held: `python tests/pytorch/on_cuda.py`.

It needs PyTorch with a device and takes less than two minutes.  `--device cpu` runs what does not need one.  The exit
status is the number of checks that failed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine"))

import torch
from device_programs import (
    PROGRAMS,
    Program,
    checkpointed,
    custom_function,
    hooks,
    leaves_on_the_host,
    mlp,
    second_derivatives,
    train,
    transformer_foreach,
)
from torch import nn

import backscope.pytorch
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script
from backscope.pytorch import narration
from backscope.pytorch.debugger import program

CHECKS: list[Callable[[str], str | None]] = []
"""Each takes a device and returns what it saw, or None where it does not apply; AssertionError where it fails."""


def check(function: Callable[[str], str | None]) -> Callable[[str], str | None]:
    CHECKS.append(function)
    return function


def facts(made: dict[str, Any], device: str) -> list[tuple[str, Any]]:
    """List all bits of what a program made, its tensors' strides and versions, and the states of the generators."""
    out: list[tuple[str, Any]] = [("host's generator", torch.get_rng_state())]
    if device.startswith("cuda"):
        out.append(("device's generator", torch.cuda.get_rng_state()))
    for name, value in made.items():
        out += list(_facts(name, value))
    return out


def _facts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, torch.Tensor):
        yield f"{name}: strides, version, dtype", (value.stride(), value._version, value.dtype)
        yield name, value.detach().cpu()
        if (value.is_leaf or value.retains_grad) and value.grad is not None:
            yield from _facts(f"{name}.grad", value.grad)
    elif isinstance(value, nn.Module):
        for key, held in [*value.named_parameters(), *value.named_buffers()]:
            yield from _facts(f"{name}.{key}", held)
    elif isinstance(value, torch.optim.Optimizer):
        yield from _facts(f"{name}.state", value.state_dict()["state"])
    elif isinstance(value, dict):
        for key, held in value.items():
            yield from _facts(f"{name}.{key}", held)
    else:
        yield name, value


def differing(one: list[tuple[str, Any]], other: list[tuple[str, Any]]) -> list[str]:
    """Name the facts that are not the same bit by bit."""
    if [name for name, _ in one] != [name for name, _ in other]:
        return ["what there is"]
    pairs = [(name, a, b) for (name, a), (_, b) in zip(one, other, strict=True) if not _same(a, b)]
    return [name if isinstance(a, torch.Tensor) else f"{name} {a} and {b}" for name, a, b in pairs]


def _same(a: Any, b: Any) -> bool:
    if not isinstance(a, torch.Tensor):
        return bool(a == b)
    return a.shape == b.shape and torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8))


def run(function: Program, device: str, detail: str | None = None) -> tuple[dict[str, Any], Any]:
    """Run a program from the same seed, recorded or not."""
    torch.manual_seed(0)
    if detail is None:
        return function(device), None
    with backscope.pytorch.record(values=detail) as trace:  # type: ignore[arg-type]
        made = function(device)
    assert trace.status == "ok", f"{function.__name__}: the recording ended with {trace.status}"
    return made, trace


def chosen_kinds(trace: Any) -> list[tuple[str, str]]:
    """The events of passes in their order, with the names of nodes."""
    names: dict[int, str] = {}
    out: list[tuple[str, str]] = []
    for event in trace.events:
        if isinstance(event, ev.OpApplied) and event.node is not None:
            names[event.node.node] = event.node.name
        elif isinstance(event, ev.NodeCreated):
            names[event.node] = event.name
        elif isinstance(event, (ev.NodeStarted, ev.NodeFinished, ev.GradientSent, ev.GradAccumulated)):
            number = getattr(event, "node", None)
            out.append((type(event).__name__, names.get(number, "?") if number is not None else ""))
    return out


@check
def the_same_bits(device: str) -> str:
    """Outputs, parameters, gradients, strides, versions, optimizers' states and generators are the same."""
    compared, repeated = 0, []
    for function in PROGRAMS:
        plain = facts(run(function, device)[0], device)
        if differing(plain, facts(run(function, device)[0], device)):
            repeated.append(function.__name__)
            continue
        for detail in ("all", "norms", "none"):
            found = differing(plain, facts(run(function, device, detail)[0], device))
            assert not found, f"{function.__name__}, values={detail!r}: {', '.join(found[:5])}"
            compared += len(plain)
    text = f"{compared} facts of {len(PROGRAMS) - len(repeated)} programs, three details"
    return text + (f"; without recording not the same twice: {', '.join(repeated)}" if repeated else "")


@check
def the_same_events_as_on_the_host(device: str) -> str | None:
    """The events of passes are those of the same program on the CPU, in the same order."""
    if not device.startswith("cuda"):
        return None
    counted = 0
    for function in (mlp, second_derivatives, checkpointed, hooks, custom_function):
        there = chosen_kinds(run(function, device, "all")[1])
        here = chosen_kinds(run(function, "cpu", "all")[1])
        at = next((k for k, (a, b) in enumerate(zip(there, here, strict=False)) if a != b), min(len(there), len(here)))
        assert there == here, f"{function.__name__}, event {at}: {there[at : at + 3]}, on the CPU {here[at : at + 3]}"
        counted += len(there)
    return f"{counted} events of passes"


@check
def every_node_of_two_threads(device: str) -> str:
    """Nodes that run in the device's thread and in the caller's are all recorded, each begun and ended once."""
    for _ in range(20):
        trace = run(leaves_on_the_host, device, "all")[1]
        begun = Counter(e.node for e in trace.events if isinstance(e, ev.NodeStarted))
        ended = Counter(e.node for e in trace.events if isinstance(e, ev.NodeFinished))
        assert begun == ended, f"begun {begun}, ended {ended}"
        assert len([e for e in trace.events if isinstance(e, ev.GradAccumulated)]) == 6
        assert [e.seq for e in trace.events] == list(range(len(trace.events)))
    return f"20 recordings of {sum(begun.values())} nodes"


@check
def the_values_of_the_device(device: str) -> str:
    """The recorded values of a gradient are those that the tensor holds."""
    made, trace = run(second_derivatives, device, "all")
    told = [e for e in trace.events if isinstance(e, ev.GradAccumulated)]
    for name in ("w", "x"):
        grad = made[name].grad.flatten().cpu()
        assert any(torch.equal(torch.tensor(e.after.values), grad) for e in told), f"{name}.grad is not told"
    torch.manual_seed(0)
    with backscope.pytorch.record() as trace:
        t = torch.empty(3, device=device)
        t.fill_(2.0)
    (new,) = [e for e in trace.events if isinstance(e, ev.TensorCreated)]
    assert not new.info.value.values, "uninitialised memory is told"
    return f"{len(told)} accumulations"


@check
def errors_letter_by_letter(device: str) -> str:
    """An in-place error and an error in a hook are the program's own."""

    def in_place() -> None:
        w = torch.ones(3, device=device, requires_grad=True)
        y = w.exp()
        y.add_(1)
        y.sum().backward()

    def in_a_hook() -> None:
        w = torch.ones(3, device=device, requires_grad=True)
        y = w.exp()
        y.register_hook(lambda g: [][1])
        y.sum().backward()

    def foreach() -> None:
        w = [torch.ones(3, device=device, requires_grad=True) for _ in range(2)]
        y = [v.exp() for v in w]
        torch._foreach_add_(y, 1)
        sum(v.sum() for v in y).backward()

    for raising in (in_place, in_a_hook, foreach):
        plain = _error(raising)
        with backscope.pytorch.record() as trace:
            recorded = _error(raising)
        assert recorded == plain and plain is not None, f"{raising.__name__}: {recorded} and without recording {plain}"
        assert any(isinstance(e, ev.ErrorRaised) for e in trace.events), f"{raising.__name__} is not recorded"
        assert isinstance(trace.events[-1], ev.ProgramFinished)
    return "3 errors"


def _error(function: Callable[[], None]) -> tuple[str, str] | None:
    try:
        function()
    except Exception as error:  # noqa: BLE001 - its text is compared
        return type(error).__name__, str(error)
    return None


@check
def no_synchronisation_but_to_write(device: str) -> str | None:
    """The device is waited for only where events are written, once for each batch."""
    if not device.startswith("cuda"):
        return None
    fetches = 0
    plain = narration.fetch

    def counting(values: list[Any]) -> None:
        nonlocal fetches
        fetches += any(type(value).__name__ == "Later" for value in values)
        plain(values)

    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(256, 64, device=device)
    train(model, optimizer, lambda: model(x).square().mean())
    seen = {}
    for detail in ("none", "norms", "all"):
        fetches = 0
        narration.fetch = counting
        try:
            with warnings.catch_warnings(record=True) as caught, _noticing_waits():
                warnings.simplefilter("always")
                with backscope.pytorch.record(values=detail):  # type: ignore[arg-type]
                    train(model, optimizer, lambda: model(x).square().mean(), 5)
        finally:
            narration.fetch = plain
        waits = [w for w in caught if "called a synchronizing" in str(w.message)]
        places = Counter(f"{Path(w.filename).name}:{w.lineno}" for w in waits)
        assert len(waits) <= fetches, f"values={detail!r}: {len(waits)} waits for {fetches} batches: {dict(places)}"
        seen[detail] = f"{detail} {len(waits)} of {fetches}"
    return "waits of batches: " + ", ".join(seen.values())


@contextlib.contextmanager
def _noticing_waits() -> Iterator[None]:
    torch.cuda.set_sync_debug_mode("warn")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


@check
def memory_comes_back(device: str) -> str | None:
    """Once a recording and what its program made are gone, so is the memory on the device; a leak would add up."""
    if not device.startswith("cuda"):
        return None
    left = []
    for _ in range(3):
        run(transformer_foreach, device, "all")
        torch.cuda.synchronize()
        left.append(torch.cuda.memory_allocated())
    assert left[1] == left[2], f"bytes left after each of three recordings: {left}"
    return f"{left[-1]} bytes stay after each recording"


STEPPED = """\
import torch
w = torch.ones(3, device="{device}", requires_grad=True)
b = torch.ones(3, requires_grad=True)
y = (w * 2).sum() + (b * 3).sum().to("{device}")
y.backward()
print(w.grad.tolist(), b.grad.tolist(), torch.log(w - 1).isinf().all().item())
"""


@check
def stepping_in_threads_of_devices(device: str) -> str:
    """Nodes of both devices stop with the caller's frames, a changed gradient goes on, and an infinity is found."""
    main, lines = sys.modules["__main__"], []
    at = [c.OpBreakpoint(id=1, name="MulBackward0"), c.NonFiniteBreakpoint(id=2)]
    then = [
        c.Evaluate(id=1, expression="grad.tolist()"),
        c.Assign(id=2, target="grad[0]", expression="10"),
        c.Resume(id=3),
        c.Assign(id=4, target="grad[0]", expression="10"),
        c.Resume(id=5),
        c.Resume(id=6),
    ]
    script = Script([c.SetBreakpoints(id=0, breakpoints=at)], then)
    try:
        source = STEPPED.format(device=device)
        program.run(
            source, lambda part: lines.extend(part.splitlines()), filename="stepped.py", seed=0, transport=script
        )
    finally:
        sys.modules["__main__"] = main
    events = [ev.decode(line) for line in lines]
    stops = [event for event in events if isinstance(event, ev.Paused)]
    assert [(stop.where, stop.stack[-1].line) for stop in stops] == [
        ("before node", 5), ("before node", 5), ("moment", 6),
    ], stops  # fmt: skip
    assert script.answers[1].look.text == "[1.0, 1.0, 1.0]", script.answers
    printed = "".join(event.text for event in events if isinstance(event, ev.OutputPrinted))
    assert printed == "[20.0, 2.0, 2.0] [30.0, 3.0, 3.0] True\n", printed
    return f"{len(stops)} stops"


@check
def everything_is_put_back(device: str) -> str:
    """After a recording, and after one that an interrupt ended, PyTorch's functions are its own."""
    names = [(torch.autograd, "backward"), (torch.autograd.Function, "apply"), (nn.Module, "__call__")]
    before = [getattr(holder, name) for holder, name in names]
    run(mlp, device, "all")
    with contextlib.suppress(KeyboardInterrupt), backscope.pytorch.record():
        (torch.ones(2, device=device, requires_grad=True) * 2).sum().backward()
        raise KeyboardInterrupt
    assert [getattr(holder, name) for holder, name in names] == before
    return f"{len(names)} functions"


def main() -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    device = parser.parse_args().device
    what = torch.cuda.get_device_name() if device.startswith("cuda") else "the CPU: nothing of CUDA is checked"
    print(f"PyTorch {torch.__version__} on {what}")
    failed = 0
    for function in CHECKS:
        began = time.perf_counter()
        try:
            seen = function(device)
            state = "held" if seen is not None else "needs a CUDA device"
        except AssertionError as error:
            seen, state = str(error), "FAILED"
        except Exception:  # noqa: BLE001 - the other checks run all the same
            seen, state = traceback.format_exc(), "FAILED"
        failed += state == "FAILED"
        name = function.__name__.replace("_", " ")
        print(f"{state:7} {name}, {time.perf_counter() - began:.1f} s: {seen or ''}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
