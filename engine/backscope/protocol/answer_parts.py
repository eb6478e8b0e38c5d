"""What answers about where numbers come from are made of."""

from __future__ import annotations

import msgspec

from backscope.protocol.field_types import Element, Identity, Integer, Many, Name, Natural, Shape


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """What an element of the gradient that a node ran on gives to an element that it sends.

    `element` is the place in the gradient of the op's output `output_nr`, `incoming` what was there, and `amount` what
    it gives: `factor * incoming`, but where `factor` is None: there the node was run on that element alone.
    """

    output_nr: Natural
    element: Many[Integer]
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

    node: Identity | None
    input_nr: Natural
    sent: Element
    made: Element | None
    shares: Many[Share]
    more: Natural
    rest: Element | None
    adds_up: bool
    why: Name | None


class TracedElement(msgspec.Struct, frozen=True, kw_only=True):
    """An element of the gradient that arrives at output `output_nr` of a `node`: the sum of `arrivals`.

    `shape` is that of the gradient, `arrived` the sum, and `value` what the node runs on or the leaf takes after
    `hooks`, by name, saw it.
    """

    node: Identity
    output_nr: Natural
    shape: Shape
    element: Many[Integer]
    arrived: Element
    value: Element
    hooks: Many[Name]
    arrivals: Many[Arrival]
