"""Plan: how nodes of one op with certain inputs that require grad run their formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.accumulate_inputs import Pass, run_and_send as run_and_send_any
from backscope.autograd.unbroadcast import folded

Run = Callable[[Any, Any], Any]
Steps = tuple[tuple[int, Callable[..., Any], tuple[int, ...]], ...]


class Plan:
    """The compiled formulas of nodes, one form for each loop of the engine.

    `run(node, g)` computes the gradients of the inputs on raw values: the stepwise loop calls it.  The fast loop calls
    `run_and_send(node, pass_)`, which takes the gradient kept at the node, runs the formula and sends the results on;
    it returns the node to run next where it knows one.  `keeps` are the slots that are saved and `steps` the
    formulas of an op: (input or -1 for all, formula, indices into [g, slots..., attributes...]).
    """

    __slots__ = ("_folding", "_general", "_part", "keeps", "run", "run_and_send", "steps")

    def __init__(
        self,
        run: Run,
        run_and_send: Callable[[Any, Pass], Any] = run_and_send_any,
        *,
        keeps: tuple[bool, ...] = (),
        steps: Steps = (),
        part: Callable[[tuple[bool, ...]], Plan] | None = None,
    ) -> None:
        self.run = run
        self.run_and_send = run_and_send
        self.keeps = keeps
        self.steps = steps
        self._general: Plan | None = None
        self._folding: Plan | None = None
        self._part = part

    def part(self, needs: tuple[bool, ...]) -> Plan:
        """Return the plan for the gradients of certain inputs alone, where the formula can leave out the others."""
        return self if self._part is None else self._part(needs)

    @property
    def general(self) -> Plan:
        """The plan for nodes with an input that is one of several outputs of its node."""
        if self._general is None:
            self._general = Plan(lambda node, g: self.run(node, g), part=lambda needs: self.part(needs).general)
        return self._general

    @property
    def folding(self) -> Plan:
        """The plan for nodes with a broadcast input: its gradient is summed to the input's shape."""
        if self._folding is None:
            self._folding = Plan(folded(lambda node, g: self.run(node, g)), part=lambda needs: self.part(needs).folding)
        return self._folding
