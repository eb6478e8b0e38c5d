"""Records custom Functions: each call of apply() as one op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from backscope.autograd.node import SavedNumber, SavedResult
from backscope.recorder import narration as say
from backscope.recorder.grad_modes import GradModes
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.identity import Token, new_node_token, new_token
from backscope.recorder.journal import Journal
from backscope.recorder.narration.code_location import Location
from backscope.recorder.passes import Passes
from backscope.recorder.saved_tensor_events import SavedTensorEvents
from backscope.recorder.tensor_slots import base_of, data_of, token_of
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.runtime.passive import class_name, is_a, nbytes
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.function.custom_node import CustomNode
    from backscope.autograd.node import Node


class CustomFunctionEvents(Listener):
    """Records the moments whose methods it overrides."""

    __slots__ = ("code", "identities", "journal", "modes", "passes", "saved")

    def __init__(
        self,
        journal: Journal,
        code: UserCode,
        identities: Identities,
        passes: Passes,
        modes: GradModes,
        saved: SavedTensorEvents,
    ) -> None:
        self.journal = journal
        self.code = code
        self.identities = identities
        self.passes = passes
        self.modes = modes
        self.saved = saved

    @guarded
    def function_applied(
        self, function: type, names: Sequence[str], args: Sequence[object], outputs: Sequence[object], node: Node | None
    ) -> None:
        """Record that a custom Function was applied; `names` are the parameters of its forward().

        Its outputs keep the identity that the ops inside forward() gave them.
        """
        line = self.code.line()
        self.modes.record_change(line)
        inputs: list[Any] = []
        for a in args:
            if is_a(a, Tensor):
                inputs.append(self.identities.token(a, line, "tensor").tensor)
            else:
                inputs.append((say.frozen(a),))
        made = None if node is None else self._custom_node(cast("CustomNode", node), line)
        infos: list[Any] = []
        dirty = {id(a) for a in args if is_a(a, Tensor)}
        for out in outputs:
            if is_a(out, Tensor):
                infos.append(self.identities.info(out, self._output(out, line)))
        in_place = any(is_a(out, Tensor) and id(out) in dirty for out in outputs)
        during = self.identities.node_id(self.passes.running[-1], line) if self.passes.running else None
        self.journal.add(say.function_applied, line, class_name(function), names, inputs, infos, made, in_place, during)
        self.saved.record_packs()

    def _output(self, out: Tensor, line: Location) -> Token:
        """Return the token of an output; give it one if no op inside forward() has."""
        token = token_of(out)
        if token is not None and token.identities is self.identities:
            return token
        base = base_of(out)
        storage = self.identities.identity() if base is None else self.identities.token(base, line, "base").storage
        return new_token(self.identities, out, self.identities.identity(), storage, line)

    def _custom_node(self, node: CustomNode, line: Location) -> tuple[Any, ...]:
        """Return what the NodeInfo of a custom Function is made from."""
        edges = [None if below is None else self.identities.node_id(below, line) for below in node.next]
        token = node.token
        if token is None or token.identities is not self.identities:
            token = new_node_token(self.identities, node, self.identities.identity(), line)
        saved: list[tuple[Any, ...]] = []
        for k, entry in enumerate(node.saved or ()):
            if entry is not None and type(entry) is not SavedNumber:
                saved.append((node.slot_name(k), *self._kept_as(node, k, entry, line)))
        attributes = {name: say.frozen(value) for name, value in node.user.items() if not is_a(value, Tensor)}
        return (
            token.node,
            node.name(),
            self.identities.order(node),
            edges,
            node.next_nr,
            saved,
            attributes,
        )

    def _kept_as(self, node: CustomNode, k: int, entry: Any, line: Location) -> tuple[Any, ...]:
        """Return tensor, storage, version, bytes and True for an output, of something that a node saved."""
        version = +node.versions[k] if node.versions else 0
        if is_a(entry, Tensor):
            token = self.identities.token(entry, line, "tensor")
            return token.tensor, token.storage, version, int(data_of(entry).nbytes), False
        if isinstance(entry, SavedResult):
            return None, self.identities.identity(), version, int(entry._data.nbytes), True
        return None, self.identities.identity(), 0, nbytes(entry.handle), False
