"""Version counters: how often the memory of a tensor was changed in place."""

from __future__ import annotations

from typing import Any

Version = list[int]
"""The counter that a tensor shares with its views and detached aliases: a list of one number, the cheapest cell."""

CHANGED_OUTSIDE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)


class InferenceVersion(list[int]):
    """What an inference tensor has in place of a counter: it counts nothing, and refuses to where changes count."""

    def __setitem__(self, index: Any, value: Any) -> None:
        from backscope.autograd.grad_mode import mode

        if not mode.inference:
            raise RuntimeError(CHANGED_OUTSIDE)


class DetachedInferenceVersion(InferenceVersion):
    """The counter of `.data` of an inference tensor, which is one too, but counts."""

    def __setitem__(self, index: Any, value: Any) -> None:
        list.__setitem__(self, index, value)


class DetachedVersion(int):
    """The version of a tensor that was detached in place: no version from before is the same."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DetachedVersion) and int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return True  # Versions of 0 are not noted by nodes.

    __hash__ = int.__hash__


INFERENCE = InferenceVersion([0])


def detached_counter() -> Version:
    """The counter of a detached alias of an inference tensor: one of its own where changes count."""
    from backscope.autograd.grad_mode import mode

    return INFERENCE if mode.inference else DetachedInferenceVersion([0])
