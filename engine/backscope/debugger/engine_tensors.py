"""The engine's tensors, as the debugger reads them."""

from __future__ import annotations

import contextlib
import ctypes
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.debugger.tensor_search import find_tensor
from backscope.debugger.tensors import NotInspectable
from backscope.protocol import commands as c
from backscope.protocol.event_parts import Summary
from backscope.random import default_generator
from backscope.recorder.recorder import Recorder
from backscope.summary.statistics import measure
from backscope.summary.summary import Array, summarize
from backscope.tensor.meta import MetaArray
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.tensor import Tensor


class EngineTensors:
    """Reads tensors of the recording of `recorder`; see Tensors."""

    untraced = "Gradients are traced where a backward pass is about to run: step to a backward_started event."

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is a tensor."""
        return isinstance(value, Tensor)

    def number(self, tensor: Tensor) -> int | None:
        """Return the identity of a tensor in the recording, None where no event has recorded it."""
        token = tensor._token
        return int(token.tensor) if token is not None and token.identities is self._recorder.identities else None

    def summary(self, tensor: Tensor) -> Summary:
        """Return the summary of a tensor's value."""
        return summarize(tensor._data)

    def find(self, number: int) -> Tensor | None:
        """Return the tensor with an identity, None where there is none any more."""
        return find_tensor(self._recorder, number)

    def grad(self, tensor: Tensor) -> Tensor | None:
        """Return the `.grad` of a tensor."""
        return tensor._grad

    def elements(self, tensor: Tensor, number: int) -> Array:
        """Return the elements of a tensor, which goes by `number` in messages; raises NotInspectable without any."""
        data = tensor._data
        if isinstance(data, Sparse):
            return np.asarray(data.dense())
        if isinstance(data, MetaArray):
            raise NotInspectable(f"Tensor {number} is on the device meta: it has no elements.")
        return np.asarray(data)

    def few_elements(self, tensor: Tensor, most: int) -> Array | None:
        """Return the elements of a tensor that has from one up to `most`, None for any other."""
        data = tensor._data
        array = np.empty(0) if isinstance(data, (MetaArray, Sparse, Absent)) else np.asarray(data)
        return array if 0 < array.size <= most else None

    def measured(self, command: c.MeasureTensor, tensor: Tensor) -> c.TensorMeasured:
        """Return the statistics of a tensor and its layout in memory; raises NotInspectable without elements."""
        array = self.elements(tensor, command.tensor)
        with np.errstate(all="ignore"):
            return measure(command, array, 0 if isinstance(tensor._data, Sparse) else tensor.storage_offset())

    @contextlib.contextmanager
    def unchanged(self) -> Iterator[None]:
        """Put the states of random generators back at the end."""
        ours, pythons, numpys = default_generator.get_state(), random.getstate(), np.random.get_state()
        try:
            yield
        finally:
            default_generator.set_state(ours)
            random.setstate(pythons)
            np.random.set_state(numpys)

    @contextlib.contextmanager
    def drawn_again(self) -> Iterator[None]:
        """Put the states of random generators back at the end, where none was set meanwhile.

        They are copied from the addresses that numpy gives: to copy them as objects takes longer than most expressions.
        """
        stream = default_generator._stream
        twisters = [bits for bits in (stream._bits, _numpys()) if isinstance(bits, np.random.MT19937)]
        states = [(ctypes.c_char * _STATE_BYTES).from_address(bits.ctypes.state_address) for bits in twisters]
        before = [state.raw for state in states]
        normal, pythons = stream.kept_normal, random.getstate()
        try:
            yield
        finally:
            stream.kept_normal = normal
            for state, then in zip(states, before, strict=True):
                state.raw = then
            random.setstate(pythons)

    # Any: a variable has a value of any type.
    def named(self, name: str, value: Any, line: int) -> None:
        """Record that the user bound a variable."""
        self._recorder.named(name, value, line)

    @contextlib.contextmanager
    def by_hand(self) -> Iterator[None]:
        """Have changes of memory recorded as the user's."""
        self._recorder.changes.by_hand = "assignment"
        try:
            yield
        finally:
            self._recorder.changes.by_hand = None


_numpys: Any = np.random.get_bit_generator  # type: ignore[attr-defined]
_STATE_BYTES = 624 * 4 + 4
"""Bytes of the state of numpy's mt19937: 624 words and the position among them."""
