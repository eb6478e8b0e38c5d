"""Anomaly mode: each node keeps the forward call that made it, and NaN in a backward pass is an error.

While the mode is on, a listener of its own notes the calls and passes everything on to the listener that was there.
While it is off, it costs nothing.
"""

from __future__ import annotations

import sys
import traceback
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.node import Node, made_leaf
from backscope.autograd.thread import running
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value, Values
from backscope.runtime.listener import Forwarding
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

TRACE = "traceback_"
PARENT = "parent_"

ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
HINT_ON = (
    " Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
    "question was changed in there or anywhere later. Good luck!"
)
HINT_OFF = (
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)


class _State:
    enabled = False
    check_nan = True


state = process_wide(_State(), "enabled", "check_nan")


class _ForwardCallNotes(Forwarding):
    """Notes the forward call that made each new node."""

    def op(self, name: str, op: Op | None, args: Values, outputs: Values, node: Node | None, **kind: bool) -> None:
        """Note the node of an op."""
        if node is not None:
            note_forward_call(node)
        super().op(name, op, args, outputs, node, **kind)

    def applied(self, op: Op, first: Value, second: Value, out: Value, node: Node | None = None, *made: Value) -> Any:
        """Note the node of an elementwise op."""
        if node is not None:
            note_forward_call(node)
        return super().applied(op, first, second, out, node, *made)

    def rebased(self, tensor: Tensor, node: Node) -> None:
        """Note the node of an in-place change."""
        note_forward_call(node)
        super().rebased(tensor, node)

    def function_applied(self, function: type, names: Values, args: Values, outputs: Values, node: Node | None) -> None:
        """Note the node of a custom Function."""
        if node is not None:
            note_forward_call(node)
        super().function_applied(function, names, args, outputs, node)


def note_forward_call(node: Node) -> None:
    """Note the forward call that made a node, and the node that was running then, if there was one."""
    notes = node.metadata
    if TRACE in notes:
        return
    notes[TRACE] = traceback.StackSummary.extract(_user_frames()).format()
    current = running.tasks[-1].current if running.tasks else None
    if current is not None:
        notes[PARENT] = current.public()


def _user_frames() -> list[tuple[FrameType, int]]:
    """Return the frames of the program, outermost first, without those of the engine and of the runner."""
    found: list[tuple[FrameType, int]] = []
    for frame, line in traceback.walk_stack(None):
        module = frame.f_globals.get("__name__", "")
        if module == "backscope.program.runner":
            break
        if not module.startswith("backscope") and not frame.f_code.co_filename.startswith("<backscope"):
            found.append((frame, line))
    return found[::-1]


def is_anomaly_enabled() -> bool:
    """Return True while anomaly mode is on."""
    return state.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Return True unless anomaly mode was switched on with `check_nan=False`."""
    return state.check_nan


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off; TypeError for an argument that is no bool."""
    for position, (name, value) in enumerate((("enabled", enabled), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, not "
                f"{type(value).__name__}"
            )
    state.enabled, state.check_nan = enabled, check_nan
    made_leaf[:] = [note_forward_call] if enabled else []
    listener = hub.listener
    if isinstance(listener, _ForwardCallNotes):
        listener = listener.behind
    hub.listener = _ForwardCallNotes(listener) if enabled else listener


class set_detect_anomaly:  # noqa: N801 - PyTorch's own name
    """Switches anomaly mode on or off at once; as a context manager until its end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = state.enabled
        self.prev_check_nan = state.check_nan
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)


class detect_anomaly:  # noqa: N801 - PyTorch's own name
    """A context in which anomaly mode is on; warns that this takes time."""

    def __init__(self, check_nan: bool = True) -> None:
        self.prev = state.enabled
        self.check_nan = check_nan
        self.prev_check_nan = state.check_nan
        warn(ENABLED)

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exc: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)


for _public in (set_detect_anomaly, detect_anomaly):
    _public.__module__ = "torch.autograd.anomaly_mode"


def report(node: Node) -> None:
    """Warn of an error in `node`: show the forward call that made it, and the calls of the nodes that induced it."""
    notes = node.metadata
    _warn_of(node.name(), notes, "Traceback of forward call that caused the error", "")
    parent = notes.get(PARENT)
    while parent is not None:
        above = parent.metadata
        _warn_of(parent.name(), above, "Traceback of forward call that induced the previous calculation", "\n\n")
        parent = above.get(PARENT)


def _warn_of(name: str, notes: dict[str, Any], what: str, before: str) -> None:
    """Issue one warning; where warnings are errors, write it to stderr, to keep the node's error."""
    if TRACE not in notes:
        text = (
            f"Error detected in {name}. No forward pass information available. Enable detect anomaly during forward "
            "pass for more information."
        )
    else:
        start = f"Previous calculation was induced by {name}" if before else f"Error detected in {name}"
        text = f"{before}{start}. {what}:\n" + "".join(notes[TRACE])
    try:
        warn(text)
    except Warning as warning:
        sys.stderr.write(f"{type(warning).__name__}: {warning}\n")


def hint() -> str:
    """Return the last sentence of the error for a saved tensor that was changed in place."""
    return HINT_ON if state.enabled else HINT_OFF


def nan_error(node: Node, gradients: Values, incoming: Value) -> RuntimeError | None:
    """Return the error where a node that ran on `incoming` returned NaN, None where it did not.

    Its facts are the place of the first NaN and the values at that place, for the diagnosis.
    """
    for i, gradient in enumerate(gradients):
        if gradient is None:
            continue
        values = _raw(gradient)
        if values.dtype.kind not in "fcV":
            continue
        found = np.isnan(values)
        if not found.any():
            continue
        where = tuple([int(k) for k in np.unravel_index(int(np.argmax(found)), values.shape)]) if values.ndim else ()
        given = incoming if isinstance(incoming, (list, tuple)) else [incoming]
        found_in = [("the incoming gradient", _at(g, where, values.shape)) for g in given if g is not None]
        if node.op is not None:
            for k, entry in enumerate(node.saved or ()):
                if entry is not None and not hasattr(entry, "unpack"):
                    found_in.append((node.slot_name(k), _at(entry, where, values.shape)))
        error: RuntimeError = blame(
            RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output."),
            "nan",
            node=node,
            input_nr=i,
            where=where,
            found_in=[(name, value) for name, value in found_in if value is not None],
        )
        return error
    return None


def _raw(value: Value) -> Any:
    data = value._data if hasattr(value, "_data") else value
    return data if isinstance(data, (np.ndarray, np.generic)) else np.asarray(data)


def _at(value: Value, where: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Return the element of a value at a place after broadcasting; None where the shapes can't be broadcast."""
    try:
        found = np.broadcast_to(_raw(value), shape)[where]
    except (ValueError, TypeError):
        return None
    return found.item() if found.dtype.kind in "fciub" else float(found)
