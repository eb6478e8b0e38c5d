"""What is told of backward passes and of `.grad`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backscope.protocol import events as ev
from backscope.recorder.narration.narrator import Line, Narrator, clean


def backward_started(
    n: Narrator,
    seq: int,
    line: Line,
    call: int,
    api: str,
    parent: Any,
    roots: Any,
    nodes: Any,
    gradients: Any,
    implicit: bool,
    retain: bool,
    create: bool,
    inputs: Any,
) -> Iterator[ev.Event]:
    """A backward pass begins."""
    n.depths.append(len(n.paths))
    yield ev.BackwardStarted(
        seq=seq,
        line=line,
        call=call,
        api=api,
        parent=parent,
        roots=roots,
        root_nodes=nodes,
        gradients=[n.summary(g) for g in gradients],
        implicit_gradient=implicit,
        retain_graph=retain,
        create_graph=create,
        inputs=inputs,
    )


def node_started(n: Narrator, seq: int, line: Line, call: int, node: int, gradients: list[Any]) -> Iterator[ev.Event]:
    """A node is about to run."""
    yield ev.NodeStarted(seq=seq, line=line, call=call, node=node, gradients=[n.optional(g) for g in gradients])


def hook_ran(
    n: Narrator,
    seq: int,
    line: Line,
    call: Any,
    where: str,
    hook: str,
    module: str | None,
    tensor: Any,
    node: Any,
    before: Any,
    after: Any,
) -> Iterator[ev.Event]:
    """A hook saw a gradient or a value."""
    yield ev.HookRan(
        seq=seq,
        line=line,
        call=call,
        where=where,
        hook=clean(hook),
        module=None if module is None else clean(module),
        tensor=tensor,
        node=node,
        before=n.optional(before),
        after=n.optional(after),
    )


def gradient_captured(
    n: Narrator, seq: int, line: Line, call: int, node: int, tensor: Any, into: str, value: Any
) -> Iterator[ev.Event]:
    """A gradient was kept on its way."""
    yield ev.GradientCaptured(
        seq=seq, line=line, call=call, node=node, tensor=tensor, into=into, value=n.summary(value)
    )


def grad_accumulated(
    n: Narrator,
    seq: int,
    line: Line,
    call: int,
    tensor: int,
    grad: int,
    node: int,
    before: Any,
    added: Any,
    after: Any,
    in_place: bool,
) -> Iterator[ev.Event]:
    """`.grad` received a gradient; the AccumulateGrad is done."""
    yield ev.GradAccumulated(
        seq=seq,
        line=line,
        call=call,
        node=node,
        tensor=tensor,
        grad=grad,
        before=n.optional(before),
        added=n.summary(added),
        after=n.summary(after),
        in_place=in_place,
    )
    yield ev.NodeFinished(seq=seq + 1, line=line, call=call, node=node)


def grad_cleared(n: Narrator, seq: int, line: Line, tensor: int, how: str, by: str, value: Any) -> Iterator[ev.Event]:
    """`.grad` was emptied."""
    yield ev.GradCleared(seq=seq, line=line, tensor=tensor, how=how, by=by, value=n.optional(value))


def backward_finished(n: Narrator, seq: int, line: Line, call: int, failed: bool) -> Iterator[ev.Event]:
    """A backward pass is over."""
    n.depths.pop()
    yield ev.BackwardFinished(seq=seq, line=line, call=call, failed=failed)
