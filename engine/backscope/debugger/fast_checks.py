"""The recorder's commonest moments with the questions of breakpoints built in: one that is not reached costs a look.

Each is the recorder's method of the same name, which `plain` is: it tells first, and looks whether the moment may reach
a breakpoint; only then `ask` is called with what the moment was told with.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from backscope.recorder.passes import Passes
from backscope.recorder.recorder import Recorder
from backscope.summary.finiteness import FLOAT32, FLOAT64, Bounds, finite, vdot
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor

Method = Callable[..., Any]

ndarray = np.ndarray
float32, float64 = np.float32, np.float64


def applied(plain: Method, ask: Method, names: Any, checks: bool, everything: bool) -> Method:
    """Of an elementwise op: stops wait for ops of some names, for NaN and infinities (`checks`), or for any op."""
    named = names if names else ()

    def told(op: Any, first: Any, second: Any, out: Any, *made: Any) -> Any:
        token = plain(op, first, second, out, *made)
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
    """The recorder's method for ops that are not elementwise; `tell` takes the in-place ones."""

    def told(
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
            tell(name, op, args, outputs, node, view=view, in_place=True)
            return
        plain(name, op, args, outputs, node, view=view)
        if everything or name in names:
            ask(name, op, args, outputs, node, view=view)
        elif checks and not view:
            for out in outputs:
                data = out._data
                if (
                    data.__class__ is ndarray
                    and (data.dtype is FLOAT32 or data.dtype is FLOAT64)
                    and isfinite(vdot(data, data))
                ):
                    continue
                if not finite(data):
                    ask(name, op, args, outputs, node, view=view)
                    return

    return told


def gradients_sent(passes: Passes, plain: Method, ask: Method, bounds: Bounds, checks: bool, frees: Any) -> Method:
    """Of a node that ran: stops wait for norms beyond bounds, for NaN and infinities, for nodes that free tensors.

    Where both numbers are asked for, a product of what is sent answers for the node that it goes to as well.
    """
    beyond = bounds.beyond if bounds else None
    least, most = bounds.squares
    any_frees = None in frees

    def told(node: Any, token: Any, g: Any, gradients: Any, totals: Any, freed: bool) -> None:
        kind = g.__class__
        if kind is float32 or kind is float64:
            # A number is measured at once; what is kept of arrays stays true while nodes send numbers alone.
            plain(node, token, g, gradients, totals, freed)
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
        within = beyond and passes.sent is bounds.sent and node.op is not None and id(g) in bounds.within
        plain(node, token, g, gradients, totals, freed)
        reached = freed and frees and (any_frees or node.__class__.__name__ in frees)
        sent = []
        if checks:
            for x in gradients:
                if type(x) is ndarray:
                    # What is g, or has its numbers in another order, is as large as it.
                    if within and (x is g or (x.size == g.size and x.base is g)):
                        sent.append(id(x))
                        continue
                    dtype = x.dtype
                    if dtype is FLOAT32 or dtype is FLOAT64:
                        square = vdot(x, x)
                        if beyond and least < square < most:
                            sent.append(id(x))
                            continue
                        if isfinite(square):
                            continue
                if x is not None and not finite(x):
                    reached = True
        if reached or (beyond and (node.multi or not (within or beyond(g) is None))):
            ask(node, token, g, gradients, totals, freed)
        if beyond:
            # What was sent may have been added to what waited, in its memory.
            bounds.within = sent if totals is None else []
            bounds.sent = passes.sent

    return told


def waits(recorder: Recorder, bounds: Bounds, wanted: set[int | str], nodes: set[Any]) -> Method:
    """Whether a breakpoint may be reached while a leaf gets its gradient: by its norm, for itself or for its node.

    `wanted` are leaves by identity or variable, `nodes` are identities and names.
    """
    beyond = bounds.beyond if bounds else None
    names = [one for one in wanted if isinstance(one, str)]
    bound, passes = recorder.names.bound, recorder.passes

    def wait(node: Any, leaf: Tensor, gradient: Any) -> bool:
        if (
            beyond
            and not (passes.sent is bounds.sent and node.hooks is None and id(gradient) in bounds.within)
            and beyond(gradient)
        ):
            return True
        if nodes and node.token is not None and node.token.node in nodes:
            return True
        if wanted and leaf._token is not None:
            number = leaf._token.tensor
            if number in wanted:
                return True
            for name in names:
                if name in bound and bound[name] == number:
                    return True
        return False

    return (lambda *_: True) if "AccumulateGrad" in nodes else wait


def named(plain: Method, tell: Method, ask: Method, names: Any) -> Method:
    """Of a variable that was bound; `tell` is for what may have tensors inside."""

    def told(name: str, value: Any, line: int) -> None:
        kind = value.__class__
        if kind is not Tensor and kind is not Parameter:
            tell(name, value, line)
            return
        plain(name, value, line)
        if name in names:
            ask(name, value, line)

    return told
