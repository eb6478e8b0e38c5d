"""The control pipe of a child: its job, then commands of the debugger, one JSON object per line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from backscope.protocol import commands, fitting
from backscope_server.sandbox.messages import Job, decode_job
from backscope_server.sandbox.order_pipe import OrderPipe


class Control:
    """The transport of the debugger in a child: commands arrive by `pipe`, answers leave by `write`, as events do."""

    def __init__(self, write: Callable[[bytes], None], pipe: OrderPipe) -> None:
        self._write = write
        self._pipe = pipe

    def job(self) -> Job:
        """Wait for the job and return it."""
        return decode_job(self._pipe.line() or b"")

    def pending(self) -> bool:
        """Return whether there is something to read."""
        return self._pipe.pending()

    def next_command(self) -> commands.Order | None:
        """Wait for the next command and return it; None once the server has closed its end."""
        line = self._pipe.line()
        return None if line is None else commands.decode_command(line)

    def answer(self, answer: commands.Reply) -> None:
        """Send an answer."""
        self._write(fitting.shrunk(answer) + b"\n")

    def evaluating(self) -> AbstractContextManager[None]:
        """Do nothing: an evaluation is not interrupted here; a run that takes too long is ended as a whole."""
        return nullcontext()
