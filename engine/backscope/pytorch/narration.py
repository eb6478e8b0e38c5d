"""Makes the events of PyTorch's ops; those of other moments are made as the engine's are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from backscope.protocol import events as ev
from backscope.pytorch.values import fetch
from backscope.recorder.narration import node_ran, text
from backscope.recorder.narration.forward_moments import node_info, tensor_info
from backscope.recorder.narration.narrator import Line, Narrator, clean
from backscope.recorder.narration.other_files import OtherFiles


class TorchNarrator(Narrator):
    """A narrator that fetches values from devices when events are written, in `quiet`."""

    def __init__(self, quiet: AbstractContextManager[None], others: OtherFiles) -> None:
        super().__init__(0, others)
        self._quiet = quiet

    def finish(self, events: bytes) -> bytes:
        """Return encoded events with Summaries in place of the marks of values."""
        if self.values:
            with self._quiet:
                fetch(self.values)
        return super().finish(events)


# Any: the fields of the gradients.
def gradients_changed(
    n: Narrator, seq: int, line: Line, call: int, node: int, sent: list[tuple[Any, ...]]
) -> list[bytes]:
    """Return the events of gradients that a node sends in place of those that are recorded."""
    *made, _finished = node_ran(n, seq, line, call, node, None, sent, False)
    return made


# Any: the parts of a node and of tensors, as identities.py and saved_tensors.py give them.
def op_applied(
    n: Narrator,
    seq: int,
    line: Line,
    op: str,
    inputs: list[tuple[str, int | None, Any]],
    infos: list[tuple[Any, ...]],
    node: tuple[Any, ...] | None,
    in_place: bool,
    is_view: bool,
    during: int | None,
) -> Iterator[ev.Event]:
    """Yield the event of an op that ran; each input is its name, and the number of a tensor or another value."""
    path = n.path(during)
    made = None
    if node is not None:
        made = node_info(n, node)
        if path is not None:
            n.path_of[made.node] = path
    arguments = [
        ev.Argument(name=clean(name), tensor=tensor, text=None if tensor is not None else text(value))
        for name, tensor, value in inputs
    ]
    yield ev.OpApplied(
        seq=seq,
        line=line,
        op=clean(op),
        inputs=arguments,
        outputs=[tensor_info(n, info) for info in infos],
        node=made,
        in_place=in_place,
        is_view=is_view,
        during=during,
        module_path=path,
        repeat=n.loops.repeat,
        hidden=[],
    )


def graph_rebased(n: Narrator, seq: int, line: Line, tensor: int, node: tuple[Any, ...]) -> Iterator[ev.Event]:
    """Yield the event of a grad_fn that was replaced."""
    yield ev.GraphRebased(seq=seq, line=line, tensor=tensor, node=node_info(n, node))


def node_finished(n: Narrator, seq: int, line: Line, call: int, node: int) -> Iterator[ev.Event]:
    """Yield the event of a node that ran without sending anything."""
    yield ev.NodeFinished(seq=seq, line=line, call=call, node=node)
