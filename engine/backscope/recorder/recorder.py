"""The recorder: listens to the engine and gives each moment to the part that records it.

On the hot path a moment becomes a small tuple with captured values; the journal builds and encodes events from these
when it drains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from backscope.recorder.backward_events import BackwardEvents
from backscope.recorder.custom_function_events import CustomFunctionEvents
from backscope.recorder.grad_modes import GradModes
from backscope.recorder.hook_events import HookEvents
from backscope.recorder.identities import Identities
from backscope.recorder.journal import Journal
from backscope.recorder.memory_changes import MemoryChanges
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.module_calls import ModuleCalls
from backscope.recorder.names import Names
from backscope.recorder.op_events import OpEvents
from backscope.recorder.optimizer_events import OptimizerEvents
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.program_events import ProgramEvents
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.recorded_history import RecordedHistory
from backscope.recorder.saved_tensor_events import SavedTensorEvents
from backscope.recorder.tensor_events import TensorEvents
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener, moments, overridden

MOMENTS = moments(ProgramListener)

TAKEN: dict[type[Listener], tuple[str, ...]] = {
    **{
        part: overridden(part)
        for part in (
            OpEvents, BackwardEvents, CustomFunctionEvents, HookEvents, OptimizerEvents, TensorEvents, GradModes,
            SavedTensorEvents, MemoryChanges, ModuleCalls,
        )
    },
    **{part: overridden(part, ProgramListener) for part in (Names, ProgramEvents)},
}  # fmt: skip
"""The moments that each part records: those whose methods its class overrides."""


class Recorder(ProgramListener):
    """Holds the parts, and in a slot for each moment the method of the part that records it.

    Because the slot has that method itself, a moment costs a single call; `replace` puts other methods into the slots.
    `write` gets bytes: one or more events, a line each.  `code` finds the user's frames; without it they are the frames
    with `user_globals`.
    """

    __slots__ = (
        *MOMENTS, "changes", "code", "history", "identities", "journal", "modules", "names", "part_methods", "passes",
        "program", "values", "waits",
    )  # fmt: skip

    def __init__(
        self,
        write: Callable[[bytes], None],
        user_globals: dict[str, Any] | None = None,
        code: UserCode | None = None,
    ) -> None:
        names: dict[int, str] = {}
        nodes_without_op: set[int] = set()
        self.code = code = code or UserCode(user_globals)
        self.journal = journal = Journal(write, code, names, nodes_without_op)
        self.values = values = PendingValues(journal)
        self.passes = passes = Passes()
        sharing = MemorySharing()
        self.identities = identities = Identities(journal, values, sharing, nodes_without_op)
        self.names = Names(journal, code, identities, sharing, names)
        self.modules = ModuleCalls(journal, code, identities, self.names)
        self.changes = MemoryChanges(journal, code, values, identities, sharing, passes)
        self.program = ProgramEvents(journal, code)
        self.history = RecordedHistory(journal, code, passes, self.names, self.changes, self.modules)
        modes = GradModes(journal, code, passes)
        saved = SavedTensorEvents(journal, code, values, identities, passes)
        parts: tuple[Listener, ...] = (
            OpEvents(passes, journal, code, values, identities, sharing, self.changes, modes, saved),
            BackwardEvents(journal, code, values, identities, passes, self.program, self.history),
            CustomFunctionEvents(journal, code, identities, passes, modes, saved),
            HookEvents(journal, code, values, identities, passes, self.modules),
            OptimizerEvents(journal, code, values, identities, self.changes, self.names),
            TensorEvents(journal, code, values, identities, sharing),
            modes, saved, self.changes, self.modules, self.names, self.program,
        )  # fmt: skip
        self.part_methods: dict[str, Callable[..., Any]] = {
            name: getattr(part, name) for part in parts for name in TAKEN[type(part)]
        }
        """The method of the part for each moment."""
        self.replace({})

    def replace(self, methods: Mapping[str, Callable[..., Any]]) -> None:
        """Call these methods at the moments of their names, and the methods of the parts at all others."""
        self.waits = None
        for name, method in self.part_methods.items():
            setattr(self, name, methods.get(name, method))

    def drain(self) -> None:
        """Build, encode and write the events of all moments so far."""
        self.journal.drain()

    def forget(self) -> None:
        """Drop all moments that were not written yet, and the values that are held for them."""
        self.values.forget()
