"""Recording ops as they run: on the hot path a moment is one tuple of numbers and references."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from backscope.recorder import narration as say
from backscope.recorder.custom_function_events import Extension
from backscope.recorder.identity import NodeToken, Token
from backscope.runtime.passive import is_a
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor

ndarray = np.ndarray
getframe = sys._getframe
PLAIN = say.PLAIN
_SEQUENCES = (list, tuple)


class Operations(Extension):
    """Each method is something that the engine tells.

    Where in the program an op runs is kept as the code and the instruction of the innermost frame of the user's.
    """

    __slots__ = ()

    def op(
        self, name: str, op: Any, args: Any, outputs: Any, node: Any, *, view: bool = False, in_place: bool = False
    ) -> None:
        """An op ran forward."""
        try:
            wanted = self.user_globals
            frame: Any = getframe(2)
            while frame is not None and frame.f_globals is not wanted:
                frame = frame.f_back
            line: Any = None if frame is None else (frame.f_code, frame.f_lasti)
            if node is None or self.grad_mode != "grad":
                self.tell_mode(line)
            inputs: list[Any] = []
            for a in args:
                kind = type(a)
                if kind is Tensor or kind is Parameter:
                    token = a._token
                    if token is None or token.recorder is not self:
                        token = self.token(a, line, "gradient" if self.calls else "tensor")
                    inputs.append(token.tensor)
                elif kind in PLAIN:
                    inputs.append((a,))
                elif issubclass(kind, Tensor):
                    inputs.append(self.token(a, line, "tensor").tensor)
                elif kind in _SEQUENCES and a and is_a(a[0], Tensor):
                    inputs.append([self.token(x, line, "tensor").tensor for x in a if x is not None])
                elif kind is tuple:
                    inputs.append(say.frozen_all((a,)))
                else:
                    inputs.append((say.frozen(a),))
            infos: list[tuple[Any, ...]] = []
            if in_place:
                self.changed(name, outputs[0], line)
                infos.append(self.info(outputs[0], outputs[0]._token))
            else:
                storage = None
                if view:
                    source = args[0]._token
                    storage = source.storage
                    if storage not in self._sharing:
                        self.shares(source)
                died = self.died
                for out in outputs:
                    number = self.count + 1
                    made = out._token = Token(out, died)
                    made.recorder = self
                    made.tensor = number
                    made.line = line
                    data = out._data
                    value = data if data.__class__ is not ndarray else self.array(data)
                    if storage is None:
                        self.count = made.storage = number + 1
                        infos.append((number, number + 1, 0, out._requires_grad, out._grad_fn is None, None, value))
                        continue
                    self.count = number
                    made.storage = storage
                    seen, shared = out._view, out._shared
                    base = None if seen is None or seen.base is None else seen.base._token
                    infos.append(
                        (
                            number,
                            storage,
                            0 if shared is None else +shared[0],
                            out._requires_grad,
                            out._grad_fn is None,
                            None if base is None else base.tensor,
                            value if data.__class__ is ndarray else self.value(data),
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
                    None if node is None else self.node_info(node, line, op),
                    in_place,
                    view,
                    self.node_id(self.running[-1], line) if self.running else None,
                    self._kept(op, node) if in_place and node is not None else None,
                )
            )
            if self.packs:
                self.tell_packs()
            if len(moments) >= self.BATCH:
                self.drain()
        except Exception as error:
            self.lost(error)

    def _kept(self, op: Any, node: Any) -> int | None:
        """The clone that an in-place op's node saved of what was overwritten, where one was told of."""
        if not node.saved or 0 not in op.slot_positions:
            return None
        token = getattr(node.saved[op.slot_positions.index(0)], "_token", None)
        return None if token is None or token.recorder is not self else int(token.tensor)

    def applied(
        self,
        op: Any,
        first: Any,
        second: Any,
        out: Any,
        node: Any = None,
        sequence_nr: int = 0,
        below: Any = None,
        numbers: Any = None,
        versions: Any = None,
        attributes: Any = None,
    ) -> Any:
        """The same as op() for an elementwise op of a Tensor and another, a number or (`first` again) nothing.

        The rest are the attributes of a new node.  Returns its token, which the caller gives to it.
        """
        try:
            wanted = self.user_globals
            frame: Any = getframe(2)
            while frame is not None and frame.f_globals is not wanted:
                frame = frame.f_back
            line: Any = None if frame is None else (frame.f_code, frame.f_lasti)
            if node is None or self.grad_mode != "grad":
                self.tell_mode(line)
            token = first._token
            if token is None or token.recorder is not self:
                token = self.token(first, line, "gradient" if self.calls else "tensor")
            kind = second.__class__
            if second is first:
                given: Any = token.tensor
            elif kind is float or kind is int:
                given = (second,)
            elif kind is Tensor or isinstance(second, Tensor):
                other = second._token
                if other is None or other.recorder is not self:
                    other = self.token(second, line, "gradient" if self.calls else "tensor")
                given = other.tensor
            else:
                given = (second,)
            made = known = None
            if node is not None:
                a = below[0]
                if a is not None:
                    known = a.token
                    a = known.node if known is not None and known.recorder is self else self.node_id(a, line)
                if len(below) == 1:
                    edges: Any = (a,)
                else:
                    b = below[1]
                    if b is not None:
                        known = b.token
                        b = known.node if known is not None and known.recorder is self else self.node_id(b, line)
                    edges = (a, b)
                made = sequence_nr, edges, numbers, versions, attributes
            number = self.count + 1
            self.count = number + op.identities
            token_made = out._token = Token(out, self.died)
            token_made.recorder = self
            token_made.tensor = number
            token_made.storage = number + 1
            token_made.line = line
            if node is not None:
                known = NodeToken(node, self.died)
                known.recorder = self
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
                    self.node_id(self.running[-1], line) if self.running else None,
                )
            )
            if self.packs:
                if node is not None:
                    node.token = known
                self.tell_packs()
            if len(self.moments) >= self.BATCH:
                self.drain()
            return known
        except Exception as error:
            self.lost(error)
            return None
