"""Version counters: the number of in-place changes of a tensor's memory."""

from __future__ import annotations

from typing import Any

from backscope.runtime.given import Value

Version = list[int]
"""The counter that a tensor shares with its views and detached aliases: a list of one number, the cheapest cell."""

CHANGED_OUTSIDE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)


class InferenceVersion(list[int]):
    """The counter of an inference tensor, which counts nothing and raises for a change outside of inference mode."""

    def __setitem__(self, index: Value, value: Value) -> None:
        from backscope.autograd.modes.grad_mode import mode

        if not mode.inference:
            raise RuntimeError(CHANGED_OUTSIDE)


class DetachedInferenceVersion(InferenceVersion):
    """The counter of `.data` of an inference tensor, which is one too, but counts."""

    def __setitem__(self, index: Value, value: Value) -> None:
        list.__setitem__(self, index, value)


class DetachedCounter(list[int]):
    """The counter of a tensor that was detached in place: that of its aliases, with versions of its own."""

    __slots__ = ("below",)

    def __init__(self, below: Version) -> None:
        super().__init__()
        self.below: Version = below.below if isinstance(below, DetachedCounter) else below

    # Any: a list returns lists for slices too, and a counter has none.
    def __getitem__(self, index: Value) -> Any:
        return DetachedVersion(self.below[0], self)

    def __setitem__(self, index: Value, value: Value) -> None:
        self.below[0] = int(value)


class DetachedVersion(int):
    """A version of a tensor since it was detached in place: no version from before is the same."""

    counter: DetachedCounter

    def __new__(cls, number: int, counter: DetachedCounter) -> DetachedVersion:
        made = super().__new__(cls, number)
        made.counter = counter
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DetachedVersion) and self.counter is other.counter and int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __sub__(self, number: int) -> DetachedVersion:
        return DetachedVersion(int(self) - number, self.counter)

    def __bool__(self) -> bool:
        return True  # Versions of 0 are not noted by nodes.

    __hash__ = int.__hash__


INFERENCE = InferenceVersion([0])


def detached_counter() -> Version:
    """The counter of a detached alias of an inference tensor: one of its own where changes count."""
    from backscope.autograd.modes.grad_mode import mode

    return INFERENCE if mode.inference else DetachedInferenceVersion([0])
