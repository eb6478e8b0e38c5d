"""Breakpoints on the first NaN or infinity: what made it of finite numbers, not what it spoils afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from backscope.autograd.node import Node
from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.recorder.recorder import Recorder
from backscope.summary.finiteness import all_finite, any_nan, finite
from backscope.tensor.tensor import Tensor


class NonFiniteBreakpoints:
    """`reported` is True once a stop was reached: a NaN that follows from an infinity is not reported again."""

    def __init__(self, recorder: Recorder, reached: ReachedBreakpoints) -> None:
        self.armed: list[Armed] = []
        self.reported = False
        self._recorder = recorder
        self._reached = reached
        self._bad_elements: dict[int, int] = {}
        """By storage, how many elements were NaN or infinite after the change that was examined last."""
        self._pending_change: tuple[int, str] | None = None
        """While an in-place op is recorded: how many breakpoints were reached before its change, and the note."""

    def __bool__(self) -> bool:
        return bool(self.armed)

    def computed(self, args: Iterable[object], outputs: Iterable[object], maker: str) -> None:
        """Reach the breakpoints where outputs that are not finite come from `maker`, such as "The op log"."""
        given = [one for a in args for one in (a if isinstance(a, (list, tuple)) else (a,))]
        if all_finite(given):
            self._reached.add(self.armed, f"{maker} made a NaN or an infinity of finite numbers.")
        elif not self.reported and any_nan(outputs) and not any_nan(given):
            self._reached.add(self.armed, f"{maker} made a NaN of an infinity.")
        elif any_nan(given) and all_finite(one for one in given if isinstance(one, Tensor)):
            self._reached.add(self.armed, f"{maker} made a NaN of a number that is NaN.")
        else:
            return
        self.reported = True

    def created(self, tensor: Tensor, origin: str) -> None:
        """Reach the breakpoints where the creation function `origin` made a NaN or an infinity."""
        if not finite(tensor._data):
            self.reported = True
            self._reached.add(self.armed, f"{origin} made a tensor with a NaN or an infinity.")

    def changed(self, how: str, tensor: Tensor) -> None:
        """Reach the breakpoints where a change in place added a NaN or an infinity to the tensor's memory."""
        storage = None if tensor._token is None else tensor._token.storage
        data = tensor._data
        bad = 0 if finite(data) else int(np.size(data) - np.count_nonzero(np.isfinite(data)))
        known = 0 if storage is None else self._bad_elements.get(storage, 0)
        if storage is not None:
            self._bad_elements[storage] = bad
        if bad > known:
            note = f"{how} left a NaN or an infinity in memory."
            self._pending_change = (len(self._reached.entries), note) if self.reported else None
            self.reported = True
            self._reached.add(self.armed, note)

    def changed_in_place(self, args: Iterable[object], outputs: Sequence[object]) -> None:
        """Take back what changed() reached within an in-place op, if the op was given a tensor with that NaN."""
        if self._pending_change is None:
            return
        (start, note), self._pending_change = self._pending_change, None
        given = [a for a in args if isinstance(a, Tensor) and not any(a is out for out in outputs)]
        if any_nan(a for a in given if not self._is_number(a)):
            entries = self._reached.entries
            entries[start:] = [one for one in entries[start:] if one[1] != note]

    def sent(self, node: Node, g: object, gradients: Iterable[object]) -> None:
        """Reach the breakpoints where a node made a NaN or an infinity of a finite gradient `g`."""
        if all_finite(gradients):
            return
        if self.reported and any_nan(kept._data for kept in node.saved or () if hasattr(kept, "_data")):
            return  # The forward pass has made it.
        if all_finite(g if isinstance(g, (list, tuple)) else (g,)):
            name = node.__class__.__name__
            self.reported = True
            self._reached.add(self.armed, f"{name} made a NaN or an infinity of a finite gradient.")

    def _is_number(self, tensor: Tensor) -> bool:
        """Return whether a tensor may be a Python number of the program's, as in `x[0] = 2`."""
        token = tensor._token
        named = token is not None and token.tensor in self._recorder.names.by_tensor
        return tensor._data.ndim == 0 and tensor._grad_fn is None and not named
