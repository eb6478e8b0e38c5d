"""The events that are written by templates: for random moments, the bytes that encoding the struct gives."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

from backscope.protocol import events as ev
from backscope.recorder.narration import Narrator, grad_stored, gradients_sent, node_ran
from backscope.summary.summary import summarize


def number(chance: random.Random) -> int:
    """An identity or a count."""
    return chance.choice((1, 2, 7, 2**31, 2**53))


def value(chance: random.Random) -> Any:
    """Values that a tensor may have."""
    shape = chance.choice(((), (1,), (2, 3), (0,), (300,)))
    made = np.array(chance.choice((0.1, -3.0, float("nan"), float("inf"), 1e-30)), chance.choice(("f4", "f8")))
    return np.full(shape, made)


def some(chance: random.Random) -> Any:
    """A value, or none."""
    return None if chance.random() < 0.3 else value(chance)


def finished(n: Narrator, lines: list[bytes]) -> list[bytes]:
    """The lines with the values in them."""
    return n.finish(b"\n".join(lines)).split(b"\n")


def summary(captured: Any) -> Any:
    """The Summary of a value."""
    return None if captured is None else summarize(captured)


Makes = Callable[[Narrator, random.Random], tuple[list[bytes], list[ev.Event]]]


def ran(n: Narrator, chance: random.Random) -> tuple[list[bytes], list[ev.Event]]:
    """node_ran() with every choice that it has."""
    seq, line, call, node = number(chance), chance.choice((None, 3)), number(chance), number(chance)
    incoming = chance.choice((None, [some(chance) for _ in range(chance.randrange(1, 3))]))
    sent = [
        (k, number(chance), k, value(chance), some(chance), chance.choice((None, [], [3, 1])))
        for k in range(chance.randrange(3))
    ]
    saved = [("_saved_self", None, number(chance), 8), ('a "slot" of 100%', 4, 5, 6)][: chance.randrange(3)]
    n.saved[node] = list(saved)
    freed = chance.random() < 0.5
    lines = node_ran(n, seq, line, call, node, incoming, sent, freed)
    at: dict[str, Any] = {"line": line, "call": call, "node": node}
    made: list[Any] = []
    if incoming is not None:
        made.append(ev.NodeStarted(seq=0, gradients=[summary(g) for g in incoming], **at))
    for nr, below, out, v, total, reduced in sent:
        made.append(
            ev.GradientSent(
                seq=0, input_nr=nr, to_node=below, output_nr=out, value=summary(v), reduced_from=reduced,
                total=summary(total), **at,
            )
        )  # fmt: skip
    for slot, _, storage, nbytes in saved if freed else ():
        made.append(ev.BufferFreed(seq=0, line=line, node=node, slot=slot, storage=storage, nbytes=nbytes))
    made.append(ev.NodeFinished(seq=0, **at))
    return lines, [msgspec.structs.replace(event, seq=seq + k) for k, event in enumerate(made)]


def along_edges(n: Narrator, chance: random.Random) -> tuple[list[bytes], list[ev.Event]]:
    """gradients_sent(): what goes along each edge, where there is one and a gradient."""
    seq, line, call, node = number(chance), chance.choice((None, 3)), number(chance), number(chance)
    edges = [chance.choice((None, number(chance))) for _ in range(3)]
    numbers = chance.choice((None, [0, 4, 1]))
    n.edges[node] = edges, numbers
    incoming = [some(chance) for _ in range(chance.randrange(1, 3))]
    gradients = [some(chance) for _ in edges]
    totals = chance.choice((None, [some(chance) for _ in edges]))
    shape = chance.choice((None, (2, 3)))
    lines = gradients_sent(n, seq, line, call, node, incoming, gradients, totals, shape, False)
    at: dict[str, Any] = {"line": line, "call": call, "node": node}
    made: list[Any] = [ev.NodeStarted(seq=0, gradients=[summary(g) for g in incoming], **at)]
    for k, (below, gradient) in enumerate(zip(edges, gradients, strict=True)):
        if below is not None and gradient is not None:
            reduced = None if shape is None or gradient.shape == shape else list(shape)
            total = None if totals is None else summary(totals[k])
            made.append(
                ev.GradientSent(
                    seq=0, input_nr=k, to_node=below, output_nr=numbers[k] if numbers else 0, value=summary(gradient),
                    reduced_from=reduced, total=total, **at,
                )
            )  # fmt: skip
    made.append(ev.NodeFinished(seq=0, **at))
    return lines, [msgspec.structs.replace(event, seq=seq + k) for k, event in enumerate(made)]


def stored(n: Narrator, chance: random.Random) -> tuple[list[bytes], list[ev.Event]]:
    """grad_stored(): the first gradient of a leaf."""
    seq, line, call, node = number(chance), chance.choice((None, 3)), number(chance), number(chance)
    leaf, grad, storage, version = (number(chance) for _ in range(4))
    added, kept = value(chance), value(chance)
    lines = grad_stored(n, seq, line, call, node, leaf, grad, storage, version, added, kept)
    at: dict[str, Any] = {"line": line, "call": call, "node": node}
    info = ev.TensorInfo(
        tensor=grad, storage=storage, version=version, requires_grad=False, is_leaf=True, base=None, value=summary(kept)
    )
    made: list[Any] = [
        ev.NodeStarted(seq=seq, gradients=[summary(added)], **at),
        ev.TensorCreated(seq=seq + 1, line=line, origin="grad", info=info),
        ev.GradAccumulated(
            seq=seq + 2,
            tensor=leaf,
            grad=grad,
            before=None,
            added=summary(added),
            after=summary(kept),
            in_place=False,
            **at,
        ),
        ev.NodeFinished(seq=seq + 3, **at),
    ]
    return lines, made


def released(n: Narrator, chance: random.Random) -> tuple[list[bytes], list[ev.Event]]:
    """Tensors and nodes that were released."""
    seq, tensor, node = number(chance), number(chance), number(chance)
    lines = [n.tensor_released(seq, tensor), n.node_released(seq, node)]
    return lines, [
        ev.TensorReleased(seq=seq, line=None, tensor=tensor), ev.NodeReleased(seq=seq, line=None, node=node),
    ]  # fmt: skip


@pytest.mark.parametrize("make", [ran, along_edges, stored, released], ids=lambda make: make.__name__)
def test_random_moments_are_written_as_encoding_writes_them(make: Makes) -> None:
    chance = random.Random(7)
    for _ in range(100):
        n = Narrator()
        lines, made = make(n, chance)
        assert finished(n, lines) == [ev.encode(event) for event in made]


def test_ops_are_written_as_encoding_writes_them(record: Callable[..., Any]) -> None:
    """Every choice of the two functions that write ops: numbers, lists, in place, views, nodes, attributes, rounds."""
    run = record(
        "x = torch.tensor([1., 2.], requires_grad=True)\nz = torch.ones(2)\n"
        "for i in range(2):\n"
        "    y = (x * 2 + z / x - 1) ** 2 * z\n"
        "    (y.relu() * y.exp() + torch.cat([x, z]).view(2, 2).sum(0)).sum().backward()\n"
        "    with torch.no_grad():\n        x -= 0.1 * x.grad\n        x.add_(x, alpha=-0.5)\n"
        "    torch.nn.functional.leaky_relu(x, 0.25).clamp(min=-1, max=3).pow(2).sum().backward(create_graph=True)\n"
        "x[0].item(), torch.var_mean(x), x.max(0), x.to(torch.float64).sin()\n"
    )
    assert run.status == "ok"
    # Summaries write some numbers with an exponent that others write without one.
    written = [repr(msgspec.json.decode(line)) for line in run.bytes.splitlines()]
    assert written == [repr(msgspec.json.decode(ev.encode(event))) for event in run.events]
