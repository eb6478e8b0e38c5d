"""Users' subclasses of Tensor: what is computed from an instance is an instance again."""

from __future__ import annotations

import threading
from typing import Any

from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.runtime.given import Value, Values
from backscope.runtime.process import process_wide
from backscope.tensor.parameter import Buffer, Parameter
from backscope.tensor.tensor import Tensor

subclassed: list[bool] = process_wide([])
"""True once there was an instance of a user's subclass, after which ops look out for them."""

_OWN = frozenset({Tensor, Parameter, Buffer, TransformTensor})


class _Asking(threading.local):
    """Who may take functions over, in each thread.

    `modes` are those entered, innermost last; above 0 `left_alone` has subclasses treated as plain tensors.
    """

    modes: tuple[Any, ...] = ()
    left_alone = 0


asking = process_wide(_Asking(), "modes", "left_alone")


def spread(tensors: Values, out: Value) -> None:
    """Make the result of an op an instance of the subclass of one of its inputs."""
    if asking.left_alone:
        return
    for t in tensors:
        if t is not None and t.__class__ not in _OWN and not issubclass(t.__class__, (Parameter, TransformTensor)):
            if not hasattr(t.__class__.__torch_function__, "disables"):
                out.__class__ = t.__class__
            return
