"""PyTorch's tensors, as the debugger reads them."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from msgspec import structs

from backscope.debugger.tensors import NotInspectable
from backscope.protocol import commands as c
from backscope.protocol.event_parts import Summary
from backscope.pytorch.context import Context
from backscope.pytorch.identities import Identities
from backscope.pytorch.modes import OpsSeen
from backscope.pytorch.values import array_of, capture, fetch
from backscope.summary.statistics import measure
from backscope.summary.summary import Array, summarize


class TorchTensors:
    """Reads tensors of a recording; see `backscope.debugger.tensors.Tensors`."""

    untraced = "Where an element of a gradient comes from is traced on Backscope's engine only, not on PyTorch."

    def __init__(self, context: Context, identities: Identities) -> None:
        self._context = context
        self._identities = identities

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is a tensor."""
        return isinstance(value, torch.Tensor)

    def number(self, tensor: torch.Tensor) -> int | None:
        """Return the identity of a tensor in the recording, None where no event has recorded it."""
        token = self._identities.token_of(tensor)
        return None if token is None else token.tensor

    def summary(self, tensor: torch.Tensor) -> Summary:
        """Return the summary of a tensor's value."""
        with self._context.quiet:
            values = [capture(tensor)]
            fetch(values)
            return summarize(values[0])

    def find(self, number: int) -> torch.Tensor | None:
        """Return the tensor with an identity, None where there is none any more."""
        return self._identities.find(number)

    def grad(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return the `.grad` of a tensor."""
        with self._context.quiet:
            return tensor.grad

    def elements(self, tensor: torch.Tensor, number: int) -> Array:
        """Return the elements of a tensor, which goes by `number` in messages; raises NotInspectable without any."""
        with self._context.quiet:
            try:
                return np.asarray(array_of(tensor))
            except (RuntimeError, NotImplementedError, TypeError, KeyError):
                where = f" on the device {tensor.device.type}" if tensor.device.type == "meta" else ""
                raise NotInspectable(f"Tensor {number}{where} has no elements that can be read.") from None

    def few_elements(self, tensor: torch.Tensor, most: int) -> Array | None:
        """Return the elements of a tensor that has from one up to `most`, None for any other."""
        if not 0 < tensor.numel() <= most:
            return None
        with contextlib.suppress(NotInspectable):
            return self.elements(tensor, 0)
        return None

    def measured(self, command: c.MeasureTensor, tensor: torch.Tensor) -> c.TensorMeasured:
        """Return the statistics of a tensor and its layout in memory; raises NotInspectable without elements."""
        with np.errstate(all="ignore"):
            found = measure(command, self.elements(tensor, command.tensor), 0)
        if tensor.layout is not torch.strided:
            return found
        with self._context.quiet:
            strides, offset, contiguous = list(tensor.stride()), tensor.storage_offset(), tensor.is_contiguous()
        return structs.replace(found, strides=strides, storage_offset=offset, contiguous=contiguous)

    @contextlib.contextmanager
    def unchanged(self) -> Iterator[None]:
        """Put the states of random generators back at the end, those of devices too."""
        devices = torch.cuda.is_initialized()
        with self._context.quiet:
            ours = torch.get_rng_state()
            theirs = torch.cuda.get_rng_state_all() if devices else []
        pythons, numpys = random.getstate(), np.random.get_state()
        try:
            yield
        finally:
            with self._context.quiet:
                torch.set_rng_state(ours)
                if devices:
                    torch.cuda.set_rng_state_all(theirs)
            random.setstate(pythons)
            np.random.set_state(numpys)

    def drawn_again(self) -> contextlib.AbstractContextManager[None]:
        """Put the states of random generators back at the end."""
        return self.unchanged()

    # Any: a variable has a value of any type.
    def named(self, name: str, value: Any, line: int) -> None:
        """Do nothing: the next moment finds what the frames have bound."""

    @contextlib.contextmanager
    def by_hand(self) -> Iterator[None]:
        """Have what the user assigns recorded, inside of a pass too, where formulas run unrecorded."""
        seen: OpsSeen = self._context.ops_seen
        self._context.by_hand = True
        try:
            with seen.in_program():
                yield
        finally:
            self._context.by_hand = False
            self._context.resolve()
