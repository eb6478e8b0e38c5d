"""Records in-place changes of tensors' memory, for all tensors that share it."""

from __future__ import annotations

from collections.abc import Callable

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.identity import Token
from backscope.recorder.journal import Journal
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.narration.code_location import Location
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.sweep import Sweep
from backscope.recorder.tensor_slots import data_of, token_of, version_of
from backscope.recorder.user_code import UserCode
from backscope.runtime.given import Value
from backscope.runtime.listener import Listener
from backscope.tensor.tensor import Tensor


class MemoryChanges(Listener):
    """Records the moments whose methods it overrides.

    By storage are kept: `recorded_version`, the version that was recorded last, with the value of a parameter then in
    `parameter_values`; `changed_at`, the line that changed it last, and `stepped`, the optimizer whose step that was.
    `sweep` removes the entries of storages that no longer exist.
    `on_changed`, where it is set, is called after each change was recorded.
    """

    __slots__ = (
        "by_hand", "changed_at", "code", "identities", "journal", "on_changed", "parameter_values", "passes",
        "recorded_version", "sharing", "stepped", "sweep", "values",
    )  # fmt: skip

    def __init__(
        self,
        journal: Journal,
        code: UserCode,
        values: PendingValues,
        identities: Identities,
        sharing: MemorySharing,
        passes: Passes,
    ) -> None:
        self.journal = journal
        self.code = code
        self.values = values
        self.identities = identities
        self.sharing = sharing
        self.passes = passes
        self.recorded_version: dict[int, int] = {}
        self.parameter_values: dict[int, tuple[int, Value]] = {}
        self.changed_at: dict[int, Location] = {}
        self.stepped: dict[int, str] = {}
        self.sweep = Sweep(
            journal.live_storages, (self.recorded_version, self.parameter_values, self.changed_at, self.stepped)
        )
        self.by_hand: str | None = None
        """The name that changes are recorded under which the user makes while the program is paused."""
        self.on_changed: Callable[[str, Tensor, Location], None] | None = None

    @guarded
    def mutated(self, tensor: Tensor, how: str) -> None:
        """Record that a tensor's memory was replaced or changed other than by an op."""
        self.changed(how, tensor, self.code.line())

    def changed(self, how: str, tensor: Tensor, line: Location) -> None:
        """Record that a tensor's memory was changed in place, by an op or function named `how`."""
        how = self.by_hand or how
        self.passes.sent = {}
        token = self.identities.token(tensor, line, "tensor")
        version = version_of(tensor)
        self.parameter_values.pop(token.storage, None)
        self.recorded_version[token.storage] = version
        self.changed_at[token.storage] = line
        self.stepped.pop(token.storage, None)
        value = self.values.value(data_of(tensor))
        self.journal.add(say.tensor_mutated, line, token.tensor, token.storage, version, how, value, None)
        self.seen_by_others(tensor, token, how, line)
        if self.on_changed is not None:
            self.on_changed(how, tensor, line)
        self.sweep.run_if_due()

    def seen_by_others(self, tensor: Tensor, token: Token, how: str, line: Location) -> None:
        """Record a change for the tensors that share its memory: the whole of a view, `x` of `x.data`."""
        for other in self.sharing.others(tensor, token.storage):
            known = token_of(other)
            if known is not None:
                version, value = version_of(other), self.values.value(data_of(other))
                self.journal.add(
                    say.tensor_mutated, line, known.tensor, token.storage, version, how, value, token.tensor
                )
