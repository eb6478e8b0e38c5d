"""A record of the last reads of a `.grad` that was None: the tensor, the code and the instruction in it."""

from __future__ import annotations

import sys
from collections import deque
from types import CodeType
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

if TYPE_CHECKING:
    from backscope.tensor.tensor import Tensor

reads: deque[tuple[ReferenceType[Tensor], CodeType, int]] = deque(maxlen=16)
"""The last reads, as many as an expression may have: the tensor, the code, and the instruction in it."""


def note(tensor: Tensor) -> None:
    """Record that the caller of the property reads the `.grad` of a tensor, which is None."""
    frame = sys._getframe(2)
    reads.append((ref(tensor), frame.f_code, frame.f_lasti))
