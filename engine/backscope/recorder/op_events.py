"""Records ops as they run: on the hot path a moment is one tuple of numbers and references."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.recorder import narration as say
from backscope.recorder.grad_modes import GradModes
from backscope.recorder.identities import Identities
from backscope.recorder.identity import NodeToken, Token, new_token
from backscope.recorder.journal import Journal
from backscope.recorder.memory_changes import MemoryChanges
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.narration.code_location import Location
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.saved_tensor_events import SavedTensorEvents
from backscope.recorder.tensor_slots import token_of
from backscope.recorder.user_code import UserCode
from backscope.runtime.given import Value
from backscope.runtime.listener import Listener
from backscope.runtime.passive import is_a
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.ops.core.declaration import Op

ndarray = np.ndarray
getframe = sys._getframe
PLAIN = say.PLAIN
_SEQUENCES = (list, tuple)


# Any: an argument of an op.
def _first(given: Sequence[Any]) -> Any:
    """Return the first of some arguments that is not None, None where all are."""
    return next((one for one in given if one is not None), None)


class OpEvents(Listener):
    """Records the moments whose methods it overrides.

    The line of an op is kept as the code and the instruction of the user's innermost frame.
    """

    __slots__ = (
        "array", "calls", "changes", "code", "died", "identities", "journal", "modes", "moments", "others", "packs",
        "running", "saved", "sharing", "values",
    )  # fmt: skip

    def __init__(
        self,
        passes: Passes,
        journal: Journal,
        code: UserCode,
        values: PendingValues,
        identities: Identities,
        sharing: MemorySharing,
        changes: MemoryChanges,
        modes: GradModes,
        saved: SavedTensorEvents,
    ) -> None:
        self.journal = journal
        self.code = code
        self.others = code.others.numbers
        self.values = values
        self.identities = identities
        self.sharing = sharing
        self.changes = changes
        self.modes = modes
        self.saved = saved
        self.calls = passes.calls
        self.running = passes.running
        self.packs = saved.packs
        self.moments = journal.moments
        self.died = journal.died
        self.array = values.array

    def op(
        self,
        name: str,
        op: Op | None,
        args: Sequence[Any],
        outputs: Sequence[Any],
        node: Node | None,
        *,
        view: bool = False,
        in_place: bool = False,
    ) -> None:
        """Record that an op ran forward on `args`."""
        try:
            identities = self.identities
            wanted = self.code.user_globals
            frame: FrameType | None = getframe(2)
            if self.others:
                frame = self.code.own(frame)
            else:
                while frame is not None and frame.f_globals is not wanted:
                    frame = frame.f_back
            line: Location = None if frame is None else (frame.f_code, frame.f_lasti)
            if node is None or self.modes.grad_mode != "grad":
                self.modes.record_change(line)
            inputs: list[Any] = []
            for a in args:
                kind = type(a)
                if kind is Tensor or kind is Parameter:
                    token = a._token
                    if token is None or token.identities is not identities:
                        token = identities.token(a, line, "gradient" if self.calls else "tensor")
                    inputs.append(token.tensor)
                elif kind in PLAIN:
                    inputs.append((a,))
                elif issubclass(kind, Tensor):
                    inputs.append(identities.token(a, line, "tensor").tensor)
                elif kind in _SEQUENCES and a and is_a(a[0] if a[0] is not None else _first(a), Tensor):
                    inputs.append([None if x is None else identities.token(x, line, "tensor").tensor for x in a])
                elif kind is tuple:
                    inputs.append(say.frozen_all((a,)))
                else:
                    inputs.append((say.frozen(a),))
            infos: list[tuple[Any, ...]] = []
            if in_place:
                self.changes.changed(name, outputs[0], line)
                infos.append(identities.info(outputs[0], identities.token(outputs[0], line, "tensor")))
            else:
                storage = None
                if view:
                    source = identities.token(args[0], line, "tensor")
                    storage = source.storage
                    if storage not in self.sharing.tokens:
                        self.sharing.shares(source)
                died = self.died
                for out in outputs:
                    if type(out) is not Tensor:
                        infos.append(self._info(out, storage, line))
                        continue
                    number = identities.count + 1
                    made = out._token = Token(out, died)
                    made.identities = identities
                    made.tensor = number
                    made.line = line
                    data = out._data
                    value = data if data.__class__ is not ndarray else self.array(data)
                    if storage is None:
                        identities.count = made.storage = number + 1
                        infos.append((number, number + 1, 0, out._requires_grad, out._grad_fn is None, None, value))
                        continue
                    identities.count = number
                    made.storage = storage
                    seen, shared = out._view, out._shared
                    base = None if seen is None or seen.base is None else token_of(seen.base)
                    infos.append(
                        (
                            number,
                            storage,
                            0 if shared is None else +shared[0],
                            out._requires_grad,
                            out._grad_fn is None,
                            None if base is None else base.tensor,
                            value if data.__class__ is ndarray else self.values.value(data),
                        )
                    )
            moments = self.moments
            moments.append(
                (
                    say.op_applied,
                    line,
                    name,
                    op,
                    inputs,
                    infos,
                    None if node is None else identities.node_info(node, line, op),
                    in_place,
                    view,
                    identities.node_id(self.running[-1], line) if self.running else None,
                    self._kept(op, node) if in_place and node is not None else None,
                )
            )
            if self.packs:
                self.saved.record_packs()
            if len(moments) >= self.journal.BATCH:
                self.journal.drain()
        except Exception as error:
            self.journal.lost(error)

    def _info(self, out: Tensor, storage: int | None, line: Location) -> tuple[Any, ...]:
        """Give an output of a subclass its token, in its own storage or in that of its base; return its info."""
        number = self.identities.identity()
        token = new_token(
            self.identities, out, number, self.identities.identity() if storage is None else storage, line
        )
        return self.identities.info(out, token)

    def _kept(self, op: Op | None, node: Node) -> int | None:
        """Return the number of the clone that an in-place op's node saved of what it overwrote, if it was recorded."""
        if op is None or not node.saved or 0 not in op.slot_positions:
            return None
        saved = node.saved[op.slot_positions.index(0)]
        token = token_of(saved) if is_a(saved, Tensor) else None
        return None if token is None or token.identities is not self.identities else token.tensor

    def applied(
        self,
        op: Op,
        first: Tensor,
        second: Value,
        out: Tensor,
        node: Node | None = None,
        sequence_nr: int = 0,
        below: Sequence[Node | None] | None = None,
        numbers: Sequence[int] | None = None,
        versions: Sequence[int] | None = None,
        attributes: Sequence[object] | None = None,
    ) -> NodeToken | None:
        """Record that an elementwise op ran on a Tensor and another, a number or (`first` again) nothing.

        The arguments after `node` are the attributes of a new node.  Returns its token, which the caller gives to it.
        """
        try:
            identities = self.identities
            wanted = self.code.user_globals
            frame: FrameType | None = getframe(2)
            if self.others:
                frame = self.code.own(frame)
            else:
                while frame is not None and frame.f_globals is not wanted:
                    frame = frame.f_back
            line: Location = None if frame is None else (frame.f_code, frame.f_lasti)
            if node is None or self.modes.grad_mode != "grad":
                self.modes.record_change(line)
            token = first._token
            if token is None or token.identities is not identities:
                token = identities.token(first, line, "gradient" if self.calls else "tensor")
            kind = second.__class__
            if second is first:
                given: Any = token.tensor
            elif kind is float or kind is int:
                given = (second,)
            elif kind is Tensor or isinstance(second, Tensor):
                other = second._token
                if other is None or other.identities is not identities:
                    other = identities.token(second, line, "gradient" if self.calls else "tensor")
                given = other.tensor
            else:
                given = (second,)
            made: Any = None
            known: NodeToken | None = None
            if node is not None and below is not None:
                a: Any = below[0]
                if a is not None:
                    known = a.token
                    a = (
                        known.node
                        if known is not None and known.identities is identities
                        else identities.node_id(a, line)
                    )
                if len(below) == 1:
                    edges: Any = (a,)
                else:
                    b: Any = below[1]
                    if b is not None:
                        known = b.token
                        b = (
                            known.node
                            if known is not None and known.identities is identities
                            else identities.node_id(b, line)
                        )
                    edges = (a, b)
                made = sequence_nr, edges, numbers, versions, attributes
            number = identities.count + 1
            identities.count = number + op.identities
            token_made = out._token = Token(out, self.died)
            token_made.identities = identities
            token_made.tensor = number
            token_made.storage = number + 1
            token_made.line = line
            if node is not None:
                known = NodeToken(node, self.died)
                known.identities = identities
                known.line = line
                known.freed = None
                known.node = number + 2
            data = out._data
            self.moments.append(
                (
                    say.applied,
                    line,
                    op,
                    token.tensor,
                    given,
                    number,
                    data if data.__class__ is not ndarray else self.array(data),
                    made,
                    identities.node_id(self.running[-1], line) if self.running else None,
                )
            )
            if self.packs:
                if node is not None:
                    node.token = known
                self.saved.record_packs()
            if len(self.moments) >= self.journal.BATCH:
                self.journal.drain()
            return known
        except Exception as error:
            self.journal.lost(error)
            return None
