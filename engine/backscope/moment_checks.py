"""The recorder's commonest moments with the questions of breakpoints built in: one that is not reached costs a look.

Each is the recorder's method of the same name, which `plain` is: it tells first, and looks whether the moment may reach
a breakpoint; only then `ask` is called with what the moment was told with.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from backscope.magnitude import Bounds, finite
from backscope.parameter import Parameter
from backscope.recorder import Recorder
from backscope.tensor import Tensor

Method = Callable[..., Any]

float32, float64 = np.float32, np.float64


def applied(plain: Method, ask: Method, names: Any, checks: bool, everything: bool) -> Method:
    """Of an elementwise op: stops wait for ops of some names, for NaN and infinities (`checks`), or for any op."""
    named = names if names else ()

    def told(
        recorder: Recorder,
        op: Any,
        first: Any,
        second: Any,
        out: Any,
        node: Any = None,
        sequence_nr: int = 0,
        below: Any = None,
        numbers: Any = None,
        versions: Any = None,
        attributes: Any = None,
    ) -> Any:
        token = plain(recorder, op, first, second, out, node, sequence_nr, below, numbers, versions, attributes)
        if checks:
            data = out._data
            kind = data.__class__
            if not (isfinite(data) if kind is float32 or kind is float64 else finite(data)):
                ask(op, first, second, out)
                return token
        if everything or (named and op.name in named):
            ask(op, first, second, out)
        return token

    return told


def op(plain: Method, tell: Method, ask: Method, names: Any, checks: bool, everything: bool) -> Method:
    """The same of any other op; `tell` is for those that tell of changes within themselves."""

    def told(
        recorder: Recorder,
        name: str,
        op: Any,
        args: Any,
        outputs: Any,
        node: Any,
        *,
        view: bool = False,
        in_place: bool = False,
    ) -> None:
        if in_place:
            tell(recorder, name, op, args, outputs, node, view=view, in_place=True)
            return
        plain(recorder, name, op, args, outputs, node, view=view)
        if everything or name in names:
            ask(name, op, args, outputs, node, view=view)
        elif checks and not view:
            for out in outputs:
                if not finite(out._data):
                    ask(name, op, args, outputs, node, view=view)
                    return

    return told


def node_told(plain: Method, ask: Method, bounds: Bounds, checks: bool, frees: Any) -> Method:
    """Of a node that ran: stops wait for norms beyond bounds, for NaN and infinities, for nodes that free tensors.

    Where both numbers are asked for, a product of what is sent answers for the node that it goes to as well.
    """
    beyond = bounds.beyond if bounds else None
    surely = bounds.surely
    least, most = bounds.squares
    any_frees = None in frees

    def told(recorder: Recorder, node: Any, token: Any, g: Any, gradients: Any, totals: Any, freed: bool) -> None:
        kind = g.__class__
        if kind is float32 or kind is float64:
            # A number is measured at once; what is kept of arrays stays true while nodes send numbers alone.
            plain(recorder, node, token, g, gradients, totals, freed)
            if freed and frees and (any_frees or node.__class__.__name__ in frees):
                ask(node, token, g, gradients, totals, freed)
                return
            if beyond:
                number = float(g)
                if not least < number * number < most and beyond(g) is not None:
                    ask(node, token, g, gradients, totals, freed)
                    return
            if checks:
                for x in gradients:
                    if not (isfinite(x) if x.__class__ is kind else finite(x)):
                        ask(node, token, g, gradients, totals, freed)
                        return
            return
        # A Function of the program's may have changed what it was given.
        within = beyond and node.op is not None and bounds.kept(g, recorder.sent)
        plain(recorder, node, token, g, gradients, totals, freed)
        reached = freed and frees and (any_frees or node.__class__.__name__ in frees)
        sent = []
        if checks:
            for x in gradients:
                kind = x.__class__
                if kind is float32 or kind is float64:
                    if not isfinite(x):
                        reached = True
                elif beyond and ((within and x is g) or surely(x)):
                    sent.append(id(x))
                elif not finite(x):
                    reached = True
        if reached or (beyond and (node.multi or not (within or beyond(g) is None))):
            ask(node, token, g, gradients, totals, freed)
        if beyond:
            # What was sent may have been added to what waited, in its memory.
            bounds.keep(sent if totals is None else [], recorder.sent)

    return told


def named(plain: Method, tell: Method, ask: Method, names: Any) -> Method:
    """Of a variable that was bound; `tell` is for what may have tensors inside."""

    def told(recorder: Recorder, name: str, value: Any, line: int) -> None:
        kind = value.__class__
        if kind is not Tensor and kind is not Parameter:
            tell(recorder, name, value, line)
            return
        plain(recorder, name, value, line)
        if name in names:
            ask(name, value, line)

    return told
