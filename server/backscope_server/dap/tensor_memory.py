"""The elements of tensors as bytes, for an editor that shows memory: contiguous, whatever the strides are."""

from __future__ import annotations

import base64
import math
import re
from typing import Any

import ml_dtypes  # noqa: F401  # numpy then knows bfloat16 and float8 by their names.
import numpy as np

from backscope.debugger.inspection import MOST_ELEMENTS
from backscope.protocol import commands as c
from backscope_server.dap import requests as r
from backscope_server.dap.debuggee import Debuggee
from backscope_server.terminal.debug_session import Impossible

MOST_BYTES = 1 << 20
"""The bytes of one answer at most."""
_REFERENCE = re.compile(r"tensor-(\d+)")


def reference(tensor: int) -> str:
    """Return the reference of the memory of a tensor."""
    return f"tensor-{tensor}"


def read(debuggee: Debuggee, asked: r.ReadMemory) -> dict[str, Any]:
    """Return bytes of a tensor at the moment that is inspected, row by row from its first element.

    Raises: Impossible.
    """
    found = _REFERENCE.fullmatch(asked.memory_reference)
    if found is None:
        raise Impossible(f"{asked.memory_reference!r} is no tensor.")
    tensor = int(found[1])
    value = debuggee.history.tape.value(tensor, debuggee.seq)
    if value is None:
        raise Impossible(f"There is no tensor {tensor} at this moment.")
    shape = list(value.shape)
    dtype = np.dtype(value.dtype.removeprefix("torch."))
    size, whole = dtype.itemsize, math.prod(shape) * dtype.itemsize
    begin = min(max(asked.offset, 0), whole)
    end = max(min(asked.offset + min(asked.count, MOST_BYTES), whole), begin)
    first, last = begin // size, -(-end // size)
    values = _elements(debuggee, tensor, shape, first, last, [])
    data = np.array([_number(one) for one in values], complex if dtype.kind == "c" else None).astype(dtype).tobytes()
    body: dict[str, Any] = {"address": reference(tensor), "unreadableBytes": max(asked.count - (end - begin), 0)}
    return body | {"data": base64.b64encode(data[begin - first * size : end - first * size]).decode()}


def _elements(debuggee: Debuggee, tensor: int, shape: list[int], first: int, last: int, at: list[int]) -> list[Any]:
    """Return the elements from `first` up to `last`, row by row, of the part of a tensor at the indices `at`."""
    if first >= last:
        return []
    row = math.prod(shape[1:])
    begin, end = (first // row, -(-last // row)) if shape else (0, 1)
    if (end - begin) * row > MOST_ELEMENTS:
        if end - begin > 1:
            middle = (begin + end) // 2 * row
            return [
                *_elements(debuggee, tensor, shape, first, middle, at),
                *_elements(debuggee, tensor, shape, middle, last, at),
            ]
        return _elements(debuggee, tensor, shape[1:], first - begin * row, last - begin * row, [*at, begin])
    inner = shape[1:]
    lower = [*at, *([begin] if shape else []), *(0 for _ in inner)]
    upper = [*(n + 1 for n in at), *([end] if shape else []), *inner]
    values = debuggee.read(c.ReadTensor(id=0, tensor=tensor, begin=lower, end=upper)).values
    return values[first - begin * row : last - begin * row]


def _number(element: Any) -> Any:
    if isinstance(element, (list, tuple)):
        return complex(float(element[0]), float(element[1]))
    return float(element) if isinstance(element, str) else element
