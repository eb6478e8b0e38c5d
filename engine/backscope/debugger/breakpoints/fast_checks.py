"""The recorder's commonest methods with checks for breakpoints built in: one that is not reached costs little.

Each function returns a method with the arguments of a moment.  It calls `record`, the recorder's own method, and then
looks whether the moment may reach a breakpoint; only where it may, it calls `check` with the same arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from backscope.autograd.node import AccumulateGrad, Node
from backscope.debugger.breakpoints.node_breakpoints import NodeKey
from backscope.debugger.breakpoints.tensor_breakpoints import TensorKey
from backscope.ops.core.declaration import Op
from backscope.recorder.identity import NodeToken
from backscope.recorder.passes import Passes
from backscope.recorder.recorder import Recorder
from backscope.runtime.given import Value
from backscope.summary.finiteness import FLOAT32, FLOAT64, Bounds, finite, vdot
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor

Method: TypeAlias = Callable[..., Any]
"""A method for a moment; the types of its arguments are those of the Listener's method."""

ndarray = np.ndarray
float32, float64 = np.float32, np.float64


def applied(
    record: Method, check: Method, names: Collection[str | None], checks_numbers: bool, every_op: bool
) -> Method:
    """For elementwise ops: checks ops with some names, outputs that are not finite, or every op."""
    named = names if names else ()

    def record_and_check(op: Op, first: Tensor, second: object, out: Tensor, *attributes: object) -> object:
        token = record(op, first, second, out, *attributes)
        if checks_numbers:
            data = out._data
            kind = data.__class__
            if not (isfinite(data) if kind is float32 or kind is float64 else finite(data)):
                check(op, first, second, out)
                return token
        if every_op or (named and op.name in named):
            check(op, first, second, out)
        return token

    return record_and_check


def op(
    record: Method,
    record_in_place: Method,
    check: Method,
    names: Collection[str | None],
    checks_numbers: bool,
    every_op: bool,
) -> Method:
    """For all other ops, checks the same; `record_in_place` records and checks those in place."""

    def record_and_check(
        name: str,
        op: Op | None,
        args: Sequence[object],
        outputs: Sequence[Tensor],
        node: Node | None,
        *,
        view: bool = False,
        in_place: bool = False,
    ) -> None:
        if in_place:
            record_in_place(name, op, args, outputs, node, view=view, in_place=True)
            return
        record(name, op, args, outputs, node, view=view)
        if every_op or name in names:
            check(name, op, args, outputs, node, view=view)
        elif checks_numbers and not view:
            for out in outputs:
                data = out._data
                if (
                    data.__class__ is ndarray
                    and (data.dtype is FLOAT32 or data.dtype is FLOAT64)
                    and isfinite(vdot(data, data))
                ):
                    continue
                if not finite(data):
                    check(name, op, args, outputs, node, view=view)
                    return

    return record_and_check


def gradients_sent(
    passes: Passes,
    record: Method,
    check: Method,
    bounds: Bounds,
    checks_numbers: bool,
    freeing: Collection[str | None],
) -> Method:
    """For nodes that ran: checks norms against bounds, gradients that are not finite, nodes that free saved tensors.

    Where norms and numbers are both checked, one product of a gradient with itself answers both questions, for the node
    that sends it and for the node that gets it.
    """
    beyond = bounds.beyond if bounds else None
    least, most = bounds.squares
    any_frees = None in freeing

    def record_and_check(
        node: Node,
        token: NodeToken | None,
        g: Value,
        gradients: Sequence[Value],
        totals: Sequence[object] | None,
        freed: bool,
    ) -> None:
        kind = g.__class__
        if kind is float32 or kind is float64:
            # A number is measured at once; what is kept of arrays stays true while nodes send numbers alone.
            record(node, token, g, gradients, totals, freed)
            if freed and freeing and (any_frees or node.__class__.__name__ in freeing):
                check(node, token, g, gradients, totals, freed)
                return
            if beyond:
                number = float(g)
                if not least < number * number < most and beyond(g) is not None:
                    check(node, token, g, gradients, totals, freed)
                    return
            if checks_numbers:
                for x in gradients:
                    if not (isfinite(x) if x.__class__ is kind else finite(x)):
                        check(node, token, g, gradients, totals, freed)
                        return
            return
        # A Function of the program's may have changed what it was given.
        within = beyond and passes.sent is bounds.sent and node.op is not None and id(g) in bounds.within
        record(node, token, g, gradients, totals, freed)
        reached = freed and freeing and (any_frees or node.__class__.__name__ in freeing)
        sent = []
        if checks_numbers:
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
            check(node, token, g, gradients, totals, freed)
        if beyond:
            # What was sent may have been added to what waited, in its memory.
            bounds.within = sent if totals is None else []
            bounds.sent = passes.sent

    return record_and_check


def waits(
    recorder: Recorder, bounds: Bounds, leaves: set[TensorKey], nodes: set[NodeKey]
) -> Callable[[AccumulateGrad, Tensor, object], bool]:
    """Return a function that says whether a breakpoint may be reached while a leaf gets its gradient.

    It may for the gradient's norm, for a leaf among `leaves`, and for a leaf's node among `nodes`.
    """
    if "AccumulateGrad" in nodes:
        return lambda *_: True
    beyond = bounds.beyond if bounds else None
    names = [one for one in leaves if isinstance(one, str)]
    bound, passes = recorder.names.bound, recorder.passes

    def wait(node: AccumulateGrad, leaf: Tensor, gradient: object) -> bool:
        if (
            beyond
            and not (passes.sent is bounds.sent and node.hooks is None and id(gradient) in bounds.within)
            and beyond(gradient)
        ):
            return True
        if nodes and node.token is not None and node.token.node in nodes:
            return True
        if leaves and leaf._token is not None:
            number = leaf._token.tensor
            if number in leaves:
                return True
            for name in names:
                if name in bound and bound[name] == number:
                    return True
        return False

    return wait


def named(record: Method, record_container: Method, check: Method, names: Container[str]) -> Method:
    """For variables that were bound to a tensor, checks their names; `record_container` takes any other value."""

    def record_and_check(name: str, value: object, line: int) -> None:
        kind = value.__class__
        if kind is not Tensor and kind is not Parameter:
            record_container(name, value, line)
            return
        record(name, value, line)
        if name in names:
            check(name, value, line)

    return record_and_check
