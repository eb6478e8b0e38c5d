"""The log of a checkpoint with debug=True: the ops of the forward pass and of the recomputation, for its error."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from backscope.autograd.checkpoint.recomputation import CheckpointError
from backscope.runtime.given import Value, Values
from backscope.runtime.listener import Forwarding
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.ops.core.declaration import Op

_REPORT = """ An error happened while unpacking tensors; dumping logs of latest computation
because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.
Scroll all the way down for guidance on how to navigate these logs.

+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|        1. Stack traces of the operators that ran in the original forward     |
+------------------------------------------------------------------------------+

{0}
+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|        2. Stack traces of the operators that ran during recomputation        |
+------------------------------------------------------------------------------+

{1}
+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|       3. Log of operators in the original forward and recomputation          |
+------------------------------------------------------------------------------+
(Scroll up to correlate stack traces with each operation listed below. This
 helps identify their source in the code.)

IMPORTANT: Differences in "detach" calls between the original forward and the
           recomputation are expected. They are introduced by the checkpointing
           mechanism and can be ignored.

Operations executed during the original forward:

{2}

Operations executed during recomputation:

{3}

+------------------------------------------------------------------------------+
 ERROR: Detected non-determinism while running activation checkpointing

 You are seeing this error because you passed `debug=True` to checkpoint and
 tensors to be saved during the original forward and differ between those saved
 during recomputation. This can happen if different operators were ran in the
 original forward and in the recomputation.

 To identify where the mismatch may be coming from, you can do the following:

 1) Compare the operators ran during original forward and recomputation to
    see where they differ. These operators are printed above in the order they
    were executed.

 2) Review the stack trace for each operator to locate its invocation source.
    Each operator's stack trace is printed in their execution order.

 Note that the logs can be quite long. Here's how they are structured:
 (Tip: you can Ctrl-f for these headers)

 1. Stack traces of the operators that ran in the original forward
 2. Stack traces of the operators that ran during recomputation
 3. Log of operators in the original forward and recomputation
 4. Error message                                             <--- You are here
--------------------------------------------------------------------------------
"""
_LETTERS = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u", "complex": "c", "bool": "b"}


class _Log(Forwarding):
    """Writes a line for each op."""

    def __init__(self) -> None:
        super().__init__(None)
        self.lines: list[str] = []
        self.traces: list[str] = []
        self.numbers: dict[int, int] = {}
        self.held: list[Tensor] = []

    def _name(self, value: Value) -> str:
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(map(self._name, value)) + "]"
        if not isinstance(value, Tensor):
            return repr(value)
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.numbers)
            self.held.append(value)
        return f"${self.numbers[id(value)]}"

    def write(self, name: str, args: Values, outputs: Values) -> None:
        """Append the line of an op that ran on `args`."""
        given = ", ".join(map(self._name, args))
        made = ", ".join([f'{self._name(o)}: "{_described(o)}"' for o in outputs])
        self.lines.append(f"{made} = torch._ops.aten.{name}.default({given})")
        frames = [
            f"{frame.f_code.co_filename}:{line}:{frame.f_code.co_name}\n"
            for frame, line in traceback.walk_stack(None)
            if not frame.f_globals.get("__name__", "backscope").startswith("backscope")
        ]
        self.traces.append("".join(frames[::-1]))

    def op(self, name: str, op: Op | None, args: Values, outputs: Values, node: Node | None, **kind: bool) -> None:
        """Write the line of an op."""
        self.write(name if op is None else op.torch_name, args, outputs)
        super().op(name, op, args, outputs, node, **kind)

    def applied(self, op: Op, first: Value, second: Value, out: Value, *made: Value) -> Any:
        """Write the line of an elementwise op."""
        self.write(op.torch_name, (first, second) if len(op.inputs) == 2 else (first,), (out,))
        return super().applied(op, first, second, out, *made)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Log the ops that run for as long as the context lasts."""
        self.lines.clear()
        self.traces.clear()
        self.behind, hub.listener = hub.listener, self
        try:
            yield
        finally:
            hub.listener = self.behind
            self.numbers.clear()
            self.held.clear()

    def with_stacks(self, label: str) -> str:
        """Return each line with the stack from which its op was called."""
        count = len(self.lines)
        return "".join(
            f"{line}   ({i} of {count} in {label})\n\n{trace}\n\n"
            for i, (line, trace) in enumerate(zip(self.lines, self.traces, strict=True), 1)
        )


def _described(tensor: Tensor) -> str:
    name = str(tensor.dtype).removeprefix("torch.")
    word = name.rstrip("0123456789")
    shape = ", ".join(map(str, tensor._data.shape))
    return f"{_LETTERS.get(word, word)}{'8' if name == 'bool' else name[len(word) :]}[{shape}]"


def logged() -> tuple[Callable[[], tuple[Any, Any]], Callable[[CheckpointError], None]]:
    """Return a context_fn that logs the ops of both runs, and a function that raises the error with both logs."""
    forward, again = _Log(), _Log()

    def contexts() -> tuple[Any, Any]:
        return forward.listening(), again.listening()

    def on_error(error: CheckpointError) -> NoReturn:
        raise CheckpointError(
            _REPORT.format(
                forward.with_stacks("original"),
                again.with_stacks("recompute"),
                "\n".join(forward.lines),
                "\n".join(again.lines),
            )
        ) from error

    return contexts, on_error
