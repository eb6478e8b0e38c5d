"""Recomputation: a checkpoint keeps placeholders for saved tensors, and computes these again in the backward pass."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.engine_queries import current_graph_task_id
from backscope.autograd.modes.grad_mode import enable_grad, mode
from backscope.autograd.node import Node
from backscope.autograd.saved.saved_hooks import pack, saved_tensors_hooks
from backscope.autograd.saved.saved_tensors import unpack, versions_of
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.task import Task

TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""
AGAIN = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details "
    "on your use case."
)
OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) "
    "is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)

_alone = itertools.count(-2, -1)
"""Numbers for recomputations outside a backward pass; no pass has a negative number."""


class CheckpointError(RuntimeError):
    """A recomputation did not save what the forward pass saved."""


CheckpointError.__module__ = "torch.utils.checkpoint"


class _Enough(Exception):
    """Everything that is needed has been recomputed."""


class Placeholder:
    """A node's placeholder for a saved tensor; `recomputed` has the tensor of each pass until it is read."""

    __slots__ = ("__weakref__", "recomputed")

    def __init__(self) -> None:
        self.recomputed: dict[Any, Tensor | None] = {}


class Inputs(Node):
    """Keeps the tensors among a checkpoint's inputs as a node keeps its saved tensors, checked for changes in place."""

    __slots__ = ()

    def slot_name(self, k: int) -> str:
        """Return the position among the tensors of the arguments."""
        return f"inputs[{k}]"


def _inputs(tensors: tuple[Tensor, ...]) -> Inputs:
    node: Any = object.__new__(Inputs)
    node.sequence_nr = 0
    node.next = node.attrs = ()
    node.next_nr = node.grad = node.hooks = node.token = None
    node.saved = tensors
    node.versions = versions_of(tensors)
    listener, hub.listener = hub.listener, None
    try:
        pack(node)
    finally:
        hub.listener = listener
    return node  # type: ignore[no-any-return]


class Frame:
    """One call of a checkpointed function: its inputs, and a weak reference to each placeholder of its nodes.

    `run` calls the function again; `describe` returns the properties of a tensor that must be the same again.
    """

    def __init__(
        self, run: Callable[..., Any], args: tuple[Any, ...], early_stop: bool, describe: Callable[..., Any]
    ) -> None:
        self.run = run
        self.early_stop = early_stop
        self.describe = describe
        self.placeholders: list[weakref.ref[Placeholder]] = []
        self.descriptions: list[Any] = []
        self.counts: dict[Any, int] = {}
        self.done: set[Any] = set()
        self.forward_completed = False
        self.differs = False
        self.number = 0
        self.tensor_positions = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.inputs = _inputs(tuple([args[i] for i in self.tensor_positions]))
        self.args = [None if isinstance(a, Tensor) else a for a in args]

    def arguments(self) -> list[Any]:
        """Return the arguments of the call; RuntimeError where one was changed in place since."""
        args = list(self.args)
        for k, i in enumerate(self.tensor_positions):
            args[i] = unpack(self.inputs, k)
        return args

    def recompute(self, task: Task) -> None:
        """Run the function again for a backward pass; CheckpointError where it does not save the same again."""
        args = self.arguments()
        listener = hub.listener
        if listener is not None:
            listener.recomputation_started(self.number)
        try:
            with _Recomputing(weakref.ref(self), task), enable_grad():
                self.run(*args)
        except _Enough:
            pass
        finally:
            if listener is not None:
                listener.recomputation_finished(self.number)
        self.done.add(task)
        self._check(task)

    def _check(self, task: Task) -> None:
        if self.differs:
            return
        count = self.counts.get(task, 0)
        if count != len(self.placeholders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.placeholders)}\nNumber of tensors "
                f"saved during recomputation: {count}.\n{TIP}"
            )
        wrong = ""
        for i, reference in enumerate(self.placeholders):
            placeholder = reference()
            tensor = None if placeholder is None else placeholder.recomputed[task]
            if tensor is not None and self.describe(tensor) != self.descriptions[i]:
                wrong += (
                    f"tensor at position {i}:\nsaved metadata: {self.descriptions[i]}\nrecomputed metadata: "
                    f"{self.describe(tensor)}\n"
                )
        if wrong:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{wrong}.\n{TIP}"
            )


class GraphExecGroup:
    """Inside, several backward passes share one recomputation of each checkpoint."""

    current: GraphExecGroup | None = None

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup.current is not None:
            raise RuntimeError(
                f"GraphExecGroup contexts cannot be nested. Already inside group {GraphExecGroup.current}"
            )
        GraphExecGroup.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        GraphExecGroup.current = None

    @classmethod
    def _get_current_group(cls) -> GraphExecGroup | None:
        current: GraphExecGroup | None = GraphExecGroup.current
        return current


def _task() -> Any:
    """Return the key of a recomputation: the group or the backward pass that runs, or a new number."""
    if GraphExecGroup.current is not None:
        return GraphExecGroup.current
    number = current_graph_task_id()
    return next(_alone) if number == -1 else number


class Checkpointing(saved_tensors_hooks):
    """A context in which nodes save placeholders; reading one runs the checkpointed function again."""

    def __init__(self, frame: Frame, on_error: Callable[[CheckpointError], None] | None) -> None:
        def checkpoint(tensor: Tensor) -> Placeholder:
            placeholder = Placeholder()
            frame.placeholders.append(weakref.ref(placeholder))
            frame.descriptions.append(frame.describe(tensor))
            return placeholder

        def recompute(placeholder: Placeholder) -> Tensor:
            try:
                return _read(frame, placeholder)
            except CheckpointError as error:
                if on_error is not None:
                    on_error(error)
                raise

        super().__init__(checkpoint, recompute)


def _read(frame: Frame, placeholder: Placeholder) -> Tensor:
    task = _task()
    if task not in frame.done:
        frame.recompute(task)
    tensor = placeholder.recomputed.get(task)
    if tensor is None:
        raise CheckpointError(AGAIN.format(OVERLAP if GraphExecGroup.current is not None else ""))
    placeholder.recomputed[task] = None
    return tensor


class _Recomputing(saved_tensors_hooks):
    """A context in which the tensors that nodes save fill the placeholders of the first run, in order."""

    def __init__(self, reference: weakref.ref[Frame], task: Task) -> None:
        def recomputed(tensor: Tensor) -> Tensor:
            frame = reference()
            assert frame is not None
            kept = _detached(tensor)
            position = frame.counts.get(task, 0)
            frame.counts[task] = position + 1
            if position >= len(frame.placeholders):
                if not frame.forward_completed:
                    frame.differs = True
                    return kept
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                    f"original forward pass.\n{TIP}"
                )
            placeholder = frame.placeholders[position]()
            if placeholder is not None:
                placeholder.recomputed[task] = kept
            if frame.early_stop and position + 1 == len(frame.placeholders):
                raise _Enough
            return kept

        super().__init__(recomputed, _itself)


def _itself(tensor: Tensor) -> Tensor:
    return tensor


def _detached(tensor: Tensor) -> Tensor:
    if not tensor._requires_grad:
        return tensor
    listener, hub.listener = hub.listener, None
    before = mode.enabled
    try:
        return tensor.detach()
    finally:
        hub.listener, mode.enabled = listener, before


process_wide(GraphExecGroup, "current")
