"""Selective checkpoints: which ops' results a checkpointed function keeps, and which it recomputes."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.transforms.tensor_arguments import tensors_in
from backscope.func.pytree import tree_map
from backscope.ops.names.aten import OpOverload, OpOverloadPacket, packet
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch.mode_stack import TorchDispatchMode

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

MUTATED = "Tensor cached during selective activation checkpoint has been mutated"
TWICE = (
    "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
    "activation checkpoint."
)
MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that "
    "changed between forward and backward."
)


class CheckpointPolicy(enum.Enum):
    """A policy's decision for an op: keep its output, or recompute it; MUST and PREFER mean the same here."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """The first argument of a policy: the op's output; `is_recompute` is always False."""

    def __init__(self, *, is_recompute: bool, op_output: Value = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


_SAVED = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
_COMPUTED_AGAIN, _CONSUMED = object(), object()

SAC_IGNORED_OPS = {packet("detach").default}  # type: ignore[union-attr]
"""Ops that the policy is not called for: a checkpoint itself calls them, in the second run at other times."""


class _Kept:
    """A kept tensor with the version that it had; other values are kept unchanged."""

    def __init__(self, value: Value) -> None:
        self.val = _detached(value) if isinstance(value, Tensor) else value
        self.version = self.val._version if isinstance(value, Tensor) else None

    def read(self, allow_mutation: bool) -> Any:
        """Return the value; RuntimeError where it was changed in place since, unless that is allowed."""
        if not allow_mutation and self.version is not None and self.val._version != self.version:
            raise RuntimeError(MUTATED)
        return self.val


def _detached(tensor: Tensor) -> Tensor:
    """Detach a tensor without a report to the listener, as it is no step of the program."""
    listener, hub.listener = hub.listener, None
    try:
        return tensor.detach()
    finally:
        hub.listener = listener


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The first run: calls the policy for each op and keeps the outputs that it selects.

    `storage` has the output of each call by op and number: a tree of _Kept, or a mark for recomputation.  `last_kept`
    is the last output that was kept, until it is reported to the listener.
    """

    def __init__(self, policy: Callable[..., Any], storage: dict[Any, dict[int, Any]]) -> None:
        super().__init__()
        self.policy_fn = policy
        self.storage = storage
        self.counts: dict[Any, int] = defaultdict(int)
        self.last_kept: Any = None
        self.tokens: list[Any] = []

    def kept_tokens(self) -> list[Any]:
        """Return the tokens of the kept outputs, after the run."""
        self._note()
        tokens, self.tokens = self.tokens, []
        return tokens

    def _note(self) -> None:
        if self.last_kept is not None:
            kept, self.last_kept = self.last_kept, None
            self.tokens += [t._token for t in tensors_in((kept,)) if t._token is not None]

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the op, and keep its output or not."""
        self._note()
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if func in SAC_IGNORED_OPS:
            return out
        number = self.counts[func]
        self.counts[func] += 1
        chosen = self.policy_fn(SelectiveCheckpointContext(is_recompute=False, op_output=out), func, *args, **kwargs)
        if isinstance(chosen, bool):
            chosen = CheckpointPolicy.MUST_SAVE if chosen else CheckpointPolicy.PREFER_RECOMPUTE
        self.storage[func][number] = tree_map(_Kept, out) if chosen in _SAVED else _COMPUTED_AGAIN
        if chosen in _SAVED and hub.listener is not None:
            self.last_kept = out
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The second run: returns the kept outputs, each once, and runs the other ops again."""

    def __init__(self, storage: dict[Any, dict[int, Any]], allow_mutation: bool) -> None:
        super().__init__()
        self.storage = storage
        self.allow_cache_entry_mutation = allow_mutation
        self.counts: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> _CachedTorchDispatchMode:
        self.counts.clear()
        super().__enter__()
        return self

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Return the kept output, or run the op again; RuntimeError for a call that the first run did not have."""
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        number = self.counts[func]
        self.counts[func] += 1
        of_op = self.storage.get(func)
        if of_op is None:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {MISMATCH}")
        entry = of_op.get(number)
        if entry is None:
            raise RuntimeError(
                f"{func} invocation index {number} encountered during backward but not found in storage. {MISMATCH}"
            )
        if entry is _CONSUMED:
            raise RuntimeError(TWICE)
        if entry is _COMPUTED_AGAIN:
            return func(*args, **kwargs)
        of_op[number] = _CONSUMED
        return tree_map(lambda kept: kept.read(self.allow_cache_entry_mutation), entry)


# Any: a function or a list of overloads, which is checked.
def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """Return the two contexts of a checkpoint that keeps the outputs of some ops, for `context_fn` of `checkpoint()`.

    A policy is called with a SelectiveCheckpointContext, the op and its arguments, and returns a CheckpointPolicy; a
    list names the ops with outputs to keep.

    Raises: ValueError for anything but overloads of ops in a list, TypeError for anything but a policy or a list.
    """
    policy = policy_fn_or_list
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                advice = (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                    if isinstance(op, OpOverloadPacket)
                    else ""
                )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {advice}"
                )

        def policy(ctx: Any, op: Op, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            kept = op in policy_fn_or_list
            return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE

    elif not callable(policy_fn_or_list):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[Any, dict[int, Any]] = defaultdict(dict)
    return _CachingTorchDispatchMode(policy, storage), _CachedTorchDispatchMode(storage, allow_cache_entry_mutation)


for _public in (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    _CachedTorchDispatchMode,
    _CachingTorchDispatchMode,
    create_selective_checkpoint_contexts,
):
    _public.__module__ = "torch.utils.checkpoint"
