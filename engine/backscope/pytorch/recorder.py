"""The recorder of programs on PyTorch: its parts, and what it installs in PyTorch while it records."""

from __future__ import annotations

import platform
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import torch

from backscope.program.frame_reader import FrameReader
from backscope.program.source_code import SourceCode
from backscope.program.sources import SourceLines, Sources
from backscope.pytorch.calls import Calls
from backscope.pytorch.compiling import Compiling
from backscope.pytorch.context import Context, Passes
from backscope.pytorch.errors import Errors
from backscope.pytorch.functions import CustomFunctions
from backscope.pytorch.hooks import Hooks
from backscope.pytorch.identities import Identities, grad_fn_of
from backscope.pytorch.modes import CallMode, OpMode, OpsSeen
from backscope.pytorch.module_hooks import OwnerHooks
from backscope.pytorch.modules import Modules, is_module
from backscope.pytorch.narration import TorchNarrator
from backscope.pytorch.ops import Ops
from backscope.pytorch.optimizers import Optimizers
from backscope.pytorch.part import Part
from backscope.pytorch.passes import BackwardPasses
from backscope.pytorch.patches import Patches
from backscope.pytorch.saved_tensors import SavedTensors
from backscope.pytorch.values import Detail, Values, memory
from backscope.recorder import narration as say
from backscope.recorder.framework import Framework
from backscope.recorder.journal import LOST, Journal
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.names import Names
from backscope.runtime.version import VERSION


class TorchRecorder:
    """Records what happens in the frames from one on, in the thread that makes it, between install() and remove()."""

    def __init__(
        self,
        write: Callable[[bytes], None],
        frame: FrameType,
        detail: Detail,
        part: Part,
        kind: type[Journal] = Journal,
    ) -> None:
        self.sources = Sources(frame)
        self.sources.added = self._source_added
        self.code = SourceCode(frame.f_globals, self.sources)
        names: dict[int, str] = {}
        self.journal = journal = kind(write, self.code, names, set())
        self.context = context = Context(journal, self.code, Passes(), part)
        journal.narrator = TorchNarrator(context.quiet, self.code.others)
        journal.narrator.lines = SourceLines(self.sources)
        journal.narrator.loops.sites = self.sources.loops
        sharing = MemorySharing(memory)
        self.identities = identities = Identities(context, Values(context, detail), sharing)
        framework = Framework(
            torch.Tensor, is_module, identities.token_of, self._quietly(_requires_grad), self._quietly(grad_fn_of)
        )
        self.names = Names(journal, self.code, identities, sharing, names, framework)  # type: ignore[arg-type]
        self.reader = FrameReader(self.names, context.passes.calls, self.code, frame)
        self.saved = SavedTensors(context, identities)
        self.ops = Ops(context, identities, self.saved)
        self.errors = Errors(context, identities, self.ops, names)
        self.passes = BackwardPasses(context, identities, self.ops, self.errors)
        self.hooks = Hooks(context, identities)
        self.compiling = Compiling(context)
        self.modules = Modules(context, identities, self.names, self.compiling)
        self.owner_hooks = OwnerHooks(context, identities, self.modules, self.hooks)
        self.optimizers = Optimizers(context, identities, self.ops, names)
        self.functions = CustomFunctions(context, identities, self.saved)
        self.calls = Calls(context, identities, self.passes, self.hooks, self.errors)
        context.look = self._look
        context.resolve = self.ops.resolve
        self._op_mode = OpMode(self.ops.call)
        context.ops_seen = OpsSeen(self._op_mode)
        self._patches = Patches()
        self._modes: list[Any] = []

    def _source_added(self, path: str, name: str, source: str) -> None:
        """Record that a further file takes part in the program."""
        self.context.add(say.source_added, None, self.code.others.add(path, name), name, source)

    def _quietly(self, read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def quietly(t: Any) -> Any:
            with self.context.quiet:
                return read(t)

        return quietly

    def _look(self) -> None:
        self.reader.look()
        self.errors.flush()

    def install(self) -> None:
        """Begin to record."""
        self.saved.install(self._patches, self.ops.packed_late, self.ops.set_aside, self.ops.forget_last)
        for part in (
            self.passes,
            self.functions,
            self.hooks,
            self.owner_hooks,
            self.modules,
            self.optimizers,
            self.compiling,
        ):
            part.install(self._patches)
        self.reader.begin()
        self.identities.begin_sequence()
        for mode in (self._op_mode, CallMode(self.calls.call)):
            mode.__enter__()
            self._modes.append(mode)

    def remove(self) -> None:
        """Take everything away that was installed."""
        while self._modes:
            self._modes.pop().__exit__(None, None, None)
        self.context.resolve()
        self._patches.put_back()

    def drain(self) -> None:
        """Write the events of all moments so far."""
        self.journal.drain()

    def finish(self, status: str) -> None:
        """Record what the block's frames bound last and that the program ended; write all that is left."""
        context = self.context
        if context.open:
            self.reader.look()
            self.errors.flush()
        self.reader.end()
        if (text := context.failure_text()) is not None:
            self.journal.add(say.warning_raised, None, LOST, text)
        self.journal.add(say.program_finished, None, status)
        self.journal.drain()
        context.open = False
        self.code.user_globals = None

    def program_started(self, filename: str) -> None:
        """Record that the program begins."""
        versions = {
            "backscope": VERSION, "python": platform.python_version(), "numpy": np.__version__,
            "torch": str(torch.__version__),
        }  # fmt: skip
        seed = torch.initial_seed() % 2**53
        self.context.add(say.program_started, None, filename, self.sources.text, seed, versions)

    def printed(self, stream: str, text: str) -> None:
        """Record text that the program wrote."""
        if self.context.listens():
            self.context.resolve()
            self.context.look()
            self.context.add(say.output_printed, self.code.line(), stream, text)
            self.context.stop_point()

    def warned(self, category: str, message: str, line: int | None) -> None:
        """Record a warning."""
        if self.context.listens():
            self.context.add(say.warning_raised, line, category, message)


def _requires_grad(t: torch.Tensor) -> bool:
    return bool(t.requires_grad)
