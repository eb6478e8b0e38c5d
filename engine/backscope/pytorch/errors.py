"""Records exceptions, with the cause of those about saved tensors and leaves: PyTorch says neither line of them."""

from __future__ import annotations

import dis
import re
import sys
import traceback
from pathlib import Path
from typing import Any

import torch

from backscope.diagnosis.saved_tensor_errors import freed, leaf_in_place, modified
from backscope.diagnosis.user_frame import Frames, ends
from backscope.protocol.event_parts import Diagnosis
from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities
from backscope.pytorch.ops import Ops
from backscope.recorder import narration as say
from backscope.recorder.identity import NodeToken, Token
from backscope.recorder.narration.code_location import Location
from backscope.recorder.program_events import text_of
from backscope.runtime.engine_frames import entries
from backscope.runtime.error_facts import is_recorded, note_recorded
from backscope.runtime.passive import shown_name, traceback_of

_CHANGED = "modified by an inplace operation"
_FREED = "Trying to backward through the graph a second time"
_LEAF = re.compile(r"leaf [Vv]ariable that requires grad (?:is being used in an in-place operation|.*inplace)")


_TORCH = str(Path(torch.__file__).parent)


def _is_of_attribute(error: Exception) -> bool:
    """Return True for what reading an attribute raised that is not written in Python, as those of nodes are."""
    if type(error) is not RuntimeError:
        return False
    *_, last = entries(traceback_of(error))
    return dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "LOAD_ATTR"


class _Node:
    """A node as the diagnosis of an error reads it."""

    prefix = ""

    def __init__(self, name: str, token: NodeToken) -> None:
        self._name = name
        self.token = token

    def name(self) -> str:
        """Its name."""
        return self._name


class _Leaf:
    """A tensor as the diagnosis of an error reads it."""

    def __init__(self, token: Token) -> None:
        self._token = token


class History:
    """What the diagnosis of an error asks about a recording; see RecordedRun."""

    def __init__(self, context: Context, ops: Ops, names: dict[int, str]) -> None:
        self.names = names
        self._context = context
        self._ops = ops

    def _line(self, place: Location) -> int | None:
        return self._context.journal.narrator.lines.line(place)

    def made_at(self, node: _Node) -> int | None:
        """Return the line whose op made a node."""
        return self._line(node.token.line)

    def freed_at(self, node: _Node) -> int | None:
        """Return the line of the pass that freed a node's saved tensors."""
        return self._line(node.token.freed)

    def born_at(self, tensor: _Leaf) -> int | None:
        """Return the line that made a tensor."""
        return self._line(tensor._token.line)

    def changed_at(self, storage: int | None) -> int | None:
        """Return the line that last changed a storage in place."""
        return None if storage is None else self._line(self._ops.changed.get(storage))

    def stepped(self, storage: int | None) -> str | None:
        """Return the optimizer whose step last changed a storage."""
        return None if storage is None else self._ops.stepped.get(storage)

    def saved_in(self, node: _Node, slot: str) -> tuple[int | None, int | None]:
        """Return the tensor that a node saved in a slot and its storage."""
        saved = self._context.journal.narrator.saved.get(node.token.node, ())
        return next(((tensor, storage) for name, tensor, storage, _ in saved if name == slot), (None, None))


class Errors:
    """Records exceptions.

    One that a function of PyTorch raised is recorded when the program has caught it, which the next moment shows.
    """

    def __init__(self, context: Context, identities: Identities, ops: Ops, names: dict[int, str]) -> None:
        self.context = context
        self.identities = identities
        self.ops = ops
        self.history: Any = History(context, ops, names)
        self._raised: tuple[int, tuple[Any, ...]] | None = None
        """The id of an error that is on its way, and its moment: the error itself would keep frames alive."""
        self._of_pass: tuple[int, int | None, Diagnosis | None] = 0, None, None
        """The id, node and diagnosis of the error that ended a pass."""

    @guarded
    def of_call(self, error: BaseException, args: tuple[Any, ...]) -> None:
        """Note an error that a function of PyTorch raises for the program."""
        if is_recorded(error) or not isinstance(error, Exception):
            return
        note_recorded(error)
        why = self._explain(str(error), None, args)
        self._raised = id(error), self._moment(error, "engine", None, why, whole=True)

    @guarded
    def flush(self) -> None:
        """Record the error that a function raised: the program has gone on."""
        if self._raised is not None:
            _, moment = self._raised
            self._raised = None
            self.context.add(*moment)
        handled = sys.exception()
        if handled is not None and not is_recorded(handled) and self._is_caught(handled):
            note_recorded(handled)
            self.context.add(*self._moment(handled, "engine", None, None, whole=False))

    def _is_caught(self, error: BaseException) -> bool:
        """Return True for an error of PyTorch's Python code that the program has caught."""
        frames = [frame for frame, _ in traceback.walk_tb(traceback_of(error))]
        if not isinstance(error, Exception) or not frames or not self.context.code.owns(frames[0]):
            return False
        return frames[-1].f_code.co_filename.startswith(_TORCH) or _is_of_attribute(error)

    @guarded
    def of_pass(self, error: BaseException, node: int | None) -> None:
        """Record the error that ends a pass, and the node that ran."""
        self._raised = None
        why = self._explain(str(error), node, ())
        self._of_pass = id(error), node, why
        note_recorded(error)
        self.context.add(*self._moment(error, "engine", node, why, whole=False))

    @guarded
    def of_program(self, error: BaseException) -> None:
        """Record the error that leaves the block."""
        node, why = None, None
        if id(error) == self._of_pass[0] and is_recorded(error):
            _, node, why = self._of_pass
        elif self._raised is not None and self._raised[0] == id(error):
            why = self._raised[1][-1]
            self._raised = None
        self.flush()
        self.context.add(*self._moment(error, "program", node, why, whole=False))

    def _moment(
        self, error: BaseException, stage: str, node: int | None, why: Diagnosis | None, *, whole: bool
    ) -> tuple[Any, ...]:
        """Return what error_raised is made from; `whole` where the callers are on the stack, not in the traceback."""
        code = self.context.code
        inner = code.frames(traceback.walk_tb(traceback_of(error)))
        trace = Frames([])
        line: Any = inner[-1][0] if inner else code.line()
        if stage == "program":
            trace = ends(inner)
            line = inner[-1][0] if inner else None
        elif whole or inner:
            at = traceback_of(error)
            above = sys._getframe(1) if at is None else at.tb_frame.f_back
            trace = ends([*code.frames(traceback.walk_stack(above))[::-1], *inner])
        return say.error_raised, line, stage, shown_name(type(error)), text_of(error), None, trace, node, why

    def _explain(self, text: str, node: int | None, args: tuple[Any, ...]) -> Diagnosis | None:
        line = self.context.code.line()
        if node is not None and (_CHANGED in text or _FREED in text):
            self.context.journal.drain()
            token = self.identities.node_tokens.get(node)
            if token is None:
                return None
            one = _Node(self.identities.node_names.get(node, "A node"), token)
            if _FREED in text:
                return freed(self.history, line, {"node": one})
            for slot, tensor, storage, _ in self.context.journal.narrator.saved.get(node, ()):
                if storage in self.ops.changed:
                    view = None if tensor is None else self.identities.find(tensor)
                    if view is not None:  # The text of the error names its grad_fn.
                        self.ops.view_read(view, line)
                    is_output = "result" in slot or "output" in slot
                    return modified(self.history, line, {"node": one, "slot": slot, "is_output": is_output})
        if _LEAF.search(text) and args and isinstance(args[0], torch.Tensor):
            leaf = self.identities.token_of(args[0])
            if leaf is not None:
                return leaf_in_place(self.history, line, {"tensor": _Leaf(leaf)})
        return None
