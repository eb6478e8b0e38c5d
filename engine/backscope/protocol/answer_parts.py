"""What answers about where numbers come from are made of."""

from __future__ import annotations

import msgspec

from backscope.protocol.event_parts import Element


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """What an element of the gradient that a node ran on gives to an element that it sends.

    `element` is the place in the gradient of the op's output `output_nr`, `incoming` what was there, and `amount` what
    it gives: `factor * incoming`, but where `factor` is None: there the node was run on that element alone.
    """

    output_nr: int
    element: list[int]
    incoming: Element
    factor: Element | None
    amount: Element


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """A summand of an element of a gradient: what `node` sends for its input `input_nr`, or what the pass was given.

    `node` is None for the latter.  `shares` has the largest shares, non-finite ones first; `more` counts the others,
    which come to `rest`.  `made` is what the node's formula gives, which its hooks exchanged for `sent` where the two
    differ.  `adds_up` where the shares have the sum `made`, but for rounding; `why` says why they have not, or why
    there are none.
    """

    node: int | None
    input_nr: int
    sent: Element
    made: Element | None
    shares: list[Share]
    more: int
    rest: Element | None
    adds_up: bool
    why: str | None


class TracedElement(msgspec.Struct, frozen=True, kw_only=True):
    """An element of the gradient that arrives at output `output_nr` of a `node`: the sum of `arrivals`.

    `shape` is that of the gradient, `arrived` the sum, and `value` what the node runs on or the leaf takes after
    `hooks`, by name, saw it.
    """

    node: int
    output_nr: int
    shape: list[int]
    element: list[int]
    arrived: Element
    value: Element
    hooks: list[str]
    arrivals: list[Arrival]
