"""What the debugger needs of the tensors that a program computes with: the engine's, or those of PyTorch."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from backscope.protocol import commands as c
from backscope.protocol.event_parts import Summary
from backscope.summary.summary import Array


class NotInspectable(ValueError):
    """A value cannot be shown or changed; the text says why."""


class Tensors(Protocol):
    """Reads tensors for the debugger, and has the recording take part in what its user changes.

    `untraced` says why gradients cannot be traced where no pass is about to run.
    """

    untraced: str

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is a tensor."""

    # Any: a tensor of the framework.
    def number(self, tensor: Any) -> int | None:
        """Return the identity of a tensor in the recording, None where no event has recorded it."""

    # Any: a tensor of the framework.
    def summary(self, tensor: Any) -> Summary:
        """Return the summary of a tensor's value."""

    # Any: a tensor of the framework.
    def find(self, number: int) -> Any:
        """Return the tensor with an identity, None where there is none any more."""

    # Any: a tensor of the framework.
    def grad(self, tensor: Any) -> Any:
        """Return the `.grad` of a tensor."""

    # Any: a tensor of the framework.
    def elements(self, tensor: Any, number: int) -> Array:
        """Return the elements of a tensor, which goes by `number` in messages; raises NotInspectable without any."""

    # Any: a tensor of the framework.
    def few_elements(self, tensor: Any, most: int) -> Array | None:
        """Return the elements of a tensor that has from one up to `most`, None for any other."""

    # Any: a tensor of the framework.
    def measured(self, command: c.MeasureTensor, tensor: Any) -> c.TensorMeasured:
        """Return the statistics of a tensor and its layout in memory; raises NotInspectable without elements."""

    def unchanged(self) -> AbstractContextManager[None]:
        """Return a context at whose end the states of all random generators are put back."""

    def drawn_again(self) -> AbstractContextManager[None]:
        """Return a context that does the same in less time, for code that draws numbers and sets no state."""

    # Any: a value of the program.
    def named(self, name: str, value: Any, line: int) -> None:
        """Record that the user bound a variable."""

    def by_hand(self) -> AbstractContextManager[None]:
        """Return a context for the user's assignment to elements or an attribute."""
