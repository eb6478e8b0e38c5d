"""Traces an element of a gradient: which elements of other gradients it is the sum of, with their factors.

The trace is made where a pass is about to run; see rehearsal.py.
"""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np

from backscope.autograd.node import AccumulateGrad, Node, described
from backscope.autograd.task import Task
from backscope.debugger.attribution.rehearsal import Arrival, Rehearsal, TooLarge
from backscope.debugger.attribution.split import Split, split
from backscope.protocol import answer_parts as parts, commands
from backscope.recorder.recorder import Recorder
from backscope.summary.json_numbers import element as shown

UNSPLIT = "It has too many elements, and a formula that leaves the tape: which of them make it is not known."
UNLINEAR = "This backward() is not linear in the gradient: its shares do not add up."


class Untraced(ValueError):
    """An element cannot be traced; the text says why."""


class Starting:
    """A pass that is about to run, rehearsed when the first element is traced."""

    def __init__(self, roots: list[tuple[Node, int, Any]], task: Task, recorder: Recorder) -> None:
        self._given = roots, task, recorder
        self._trace: GradientTrace | None = None

    def answer(self, command: commands.TraceGradient) -> commands.GradientTraced:
        """Trace the element that a command names.

        Raises: Untraced.
        """
        if self._trace is None:
            try:
                self._trace = GradientTrace(*self._given)
            except TooLarge as error:
                raise Untraced(str(error)) from None
        trace = self._trace
        path, more = trace.path(command.node, command.output_nr, command.element, command.depth, command.most)
        return commands.GradientTraced(id=command.id, call=trace.call, path=path, more=more)


class GradientTrace:
    """The gradients of one pass, traced element by element."""

    def __init__(self, roots: list[tuple[Node, int, Any]], task: Task, recorder: Recorder) -> None:
        self.recorder = recorder
        self.call = task.number
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.rehearsal = Rehearsal(roots, task)
        self.nodes = {self._number(node): node for node, _ in self.rehearsal.arrived}

    def path(
        self, number: int, output_nr: int, element: list[int], depth: int, most: int
    ) -> tuple[list[parts.TracedElement], bool]:
        """Return an element and, for up to `depth` steps, the largest share of the one before; True if more follow.

        Raises: Untraced.
        """
        node = self.nodes.get(number)
        if node is None or (node, output_nr) not in self.rehearsal.arrived:
            failure = self.rehearsal.failure
            reason = "" if failure is None else f" It ends with {type(failure).__name__} before."
            raise Untraced(f"No gradient arrives at node {number} in this pass.{reason}")
        at = tuple(element)
        shape = self._shape(node, output_nr)
        if len(at) != len(shape) or any(k >= n for k, n in zip(at, shape, strict=True)):
            raise Untraced(f"There is no element {element} in a gradient of the shape {list(shape)}.")
        found: list[parts.TracedElement] = []
        following: tuple[Node, int, tuple[int, ...]] | None = (node, output_nr, at)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            while following is not None and len(found) <= depth:
                traced, following = self._traced(*following, most)
                found.append(traced)
        return found, following is not None

    def _number(self, node: Node) -> int:
        token = node.token
        return token.node if token is not None and token.identities is self.recorder.identities else 0

    def _shape(self, node: Node, output_nr: int) -> tuple[int, ...]:
        return tuple(described(node, output_nr)[0])

    def _traced(
        self, node: Node, output_nr: int, at: tuple[int, ...], most: int
    ) -> tuple[parts.TracedElement, tuple[Node, int, tuple[int, ...]] | None]:
        """Return an element with its shares, and the element of the largest one; None where the user gave it."""
        rehearsal = self.rehearsal
        arrivals: list[parts.Arrival] = []
        arrived: Any = None
        candidates: list[tuple[Any, Any]] = []
        for arrival in rehearsal.arrived[node, output_nr]:
            sent = np.asarray(arrival.gradient)[at]
            with np.errstate(all="ignore"):
                arrived = sent if arrived is None else arrived + sent
            made, largest = self._arrival(arrival, at, sent, most)
            arrivals.append(made)
            if largest is not None:
                candidates.append((sent, largest))
        ran = rehearsal.ran.get(node)
        if ran is not None:
            value = np.asarray(ran.gradients[output_nr])[at]
        elif node in rehearsal.took:
            value = np.asarray(rehearsal.took[node])[at]
        else:
            value = arrived
        traced = parts.TracedElement(
            node=self._number(node),
            output_nr=output_nr,
            shape=list(self._shape(node, output_nr)),
            element=list(at),
            arrived=shown(arrived),
            value=shown(value),
            hooks=rehearsal.hooks.get(node, []) if isinstance(node, AccumulateGrad) or value != arrived else [],
            arrivals=arrivals,
        )
        best = max(candidates, key=lambda c: _weight(c[0]), default=None)
        return traced, None if best is None else best[1]

    def _arrival(
        self, arrival: Arrival, at: tuple[int, ...], sent: Any, most: int
    ) -> tuple[parts.Arrival, tuple[Node, int, tuple[int, ...]] | None]:
        ran = arrival.sender
        if ran is None:
            given = parts.Arrival(
                node=None, input_nr=0, sent=shown(sent), made=None, shares=[], more=0, rest=None, adds_up=True, why=None
            )
            return given, None
        number = self._number(ran.node)
        found = split(ran, arrival.input_nr, at)
        if found is None:
            unknown = parts.Arrival(
                node=number, input_nr=arrival.input_nr, sent=shown(sent), made=None, shares=[], more=0, rest=None,
                adds_up=False, why=UNSPLIT,
            )  # fmt: skip
            return unknown, None
        order = _largest(found)
        first, others = order[:most], order[most:]
        shares = [self._share(ran.node, found, int(k)) for k in first]
        hooked = ran.node.hooks is not None and bool(ran.node.hooks.post)
        rest = None
        if len(others):
            rest = shown(_sum(found.amounts[others]))
        made = parts.Arrival(
            node=number,
            input_nr=arrival.input_nr,
            sent=shown(sent),
            made=shown(found.made) if hooked else shown(sent),
            shares=shares,
            more=len(others),
            rest=rest,
            adds_up=found.linear,
            why=None if found.linear else UNLINEAR,
        )
        if not len(order):
            return made, None
        k = int(order[0])
        output = int(found.outputs[k])
        if (ran.node, output) not in self.rehearsal.arrived:  # A hook made it of nothing.
            return made, None
        return made, (ran.node, output, self._place(ran.node, output, int(found.places[k])))

    def _place(self, node: Node, output_nr: int, flat: int) -> tuple[int, ...]:
        shape = self._shape(node, output_nr)
        return tuple([int(n) for n in np.unravel_index(flat, shape)]) if shape else ()

    def _share(self, node: Node, found: Split, k: int) -> parts.Share:
        output = int(found.outputs[k])
        return parts.Share(
            output_nr=output,
            element=list(self._place(node, output, int(found.places[k]))),
            incoming=shown(found.elements[k]),
            factor=None if found.factors is None else shown(found.factors[k]),
            amount=shown(found.amounts[k]),
        )


def _sum(amounts: Any) -> Any:
    with np.errstate(all="ignore"):
        wide = np.complex128 if np.iscomplexobj(amounts) else np.float64
        return amounts.astype(wide).sum().astype(amounts.dtype)


def _weight(value: Any) -> float:
    """Return the size of a number, infinite for one that is not finite."""
    size = float(abs(value))
    return size if size == size and size != float("inf") else float("inf")


def _largest(found: Split) -> Any:
    """Return the indices of the shares: elements that are not finite first, then those that become so, then by size."""
    size = np.abs(found.amounts.astype(np.complex128 if np.iscomplexobj(found.amounts) else np.float64))
    weight = np.where(np.isfinite(found.amounts), size, np.inf)
    came = ~np.isfinite(found.elements)
    return np.lexsort((np.arange(len(weight)), -weight, ~came))
