"""Makes the events of backward passes and of `.grad`."""

from __future__ import annotations

from collections.abc import Iterator

from backscope.protocol import events as ev
from backscope.recorder.narration.narrator import Captured, Line, Narrator, clean


def backward_started(
    n: Narrator,
    seq: int,
    line: Line,
    call: int,
    api: str,
    parent: int | None,
    roots: list[int],
    nodes: list[int],
    gradients: list[Captured],
    implicit: bool,
    retain: bool,
    create: bool,
    inputs: list[int] | None,
) -> Iterator[ev.Event]:
    """Yield the event of a backward pass that begins."""
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


def node_started(
    n: Narrator, seq: int, line: Line, call: int, node: int, gradients: list[Captured]
) -> Iterator[ev.Event]:
    """Yield the event of a node that is about to run."""
    yield ev.NodeStarted(seq=seq, line=line, call=call, node=node, gradients=[n.optional(g) for g in gradients])


def buffers_freed(n: Narrator, seq: int, line: Line, node: int) -> Iterator[ev.Event]:
    """Yield the events of a node that frees what it saved and does not finish."""
    for k, (slot, _, storage, nbytes) in enumerate(n.saved.pop(node, ())):
        yield ev.BufferFreed(seq=seq + k, line=line, node=node, slot=slot, storage=storage, nbytes=nbytes)


def hook_ran(
    n: Narrator,
    seq: int,
    line: Line,
    call: int | None,
    where: str,
    hook: str,
    module: str | None,
    tensor: int | None,
    node: int | None,
    before: Captured,
    after: Captured,
) -> Iterator[ev.Event]:
    """Yield the event of a hook that ran on a gradient or a value."""
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
    n: Narrator, seq: int, line: Line, call: int, node: int, tensor: int | None, into: str, value: Captured
) -> Iterator[ev.Event]:
    """Yield the event of a gradient that was kept on its way."""
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
    before: Captured,
    added: Captured,
    after: Captured,
    in_place: bool,
) -> Iterator[ev.Event]:
    """Yield the events of a gradient that was added to `.grad`, and of the AccumulateGrad that finished."""
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


def grad_cleared(
    n: Narrator, seq: int, line: Line, tensor: int, how: str, by: str, value: Captured
) -> Iterator[ev.Event]:
    """Yield the event of a `.grad` that was emptied or assigned."""
    yield ev.GradCleared(seq=seq, line=line, tensor=tensor, how=how, by=by, value=n.optional(value))


def backward_finished(n: Narrator, seq: int, line: Line, call: int, failed: bool) -> Iterator[ev.Event]:
    """Yield the event of a backward pass that ended."""
    n.depths.pop()
    yield ev.BackwardFinished(seq=seq, line=line, call=call, failed=failed)
