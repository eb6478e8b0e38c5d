"""Users' subclasses of Tensor: the result of an op on an instance is an instance too."""

from __future__ import annotations

import threading
from typing import Any

from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.runtime.given import Value, Values
from backscope.runtime.process import process_wide
from backscope.tensor.parameter import Buffer, Parameter
from backscope.tensor.tensor import Tensor

subclassed: list[bool] = process_wide([])
"""True once there was an instance of a user's subclass: from then on ops check their arguments for such instances."""

_OWN = frozenset({Tensor, Parameter, Buffer, TransformTensor})


class _Overriding(threading.local):
    """The modes and subclasses with a __torch_function__ that may handle calls, in each thread.

    `modes` are the entered modes, innermost last; while `disabled` is above 0, subclasses count as plain tensors.
    """

    modes: tuple[Any, ...] = ()
    disabled = 0


overriding = process_wide(_Overriding(), "modes", "disabled")


def spread(tensors: Values, out: Value) -> None:
    """Make the result of an op an instance of the subclass of one of its inputs."""
    if overriding.disabled:
        return
    for t in tensors:
        if t is not None and t.__class__ not in _OWN and not issubclass(t.__class__, (Parameter, TransformTensor)):
            if not hasattr(t.__class__.__torch_function__, "disables"):
                out.__class__ = t.__class__
            return
