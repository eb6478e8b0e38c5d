"""The structs that the answer to TraceGradient contains."""

from __future__ import annotations

import msgspec

from backscope.protocol.field_types import Element, Identity, Integer, Many, Name, Natural, Shape


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """The contribution of one element of a node's incoming gradient to one element of a gradient that it sends.

    `element` is its index in the gradient of the op's output `output_nr`, `incoming` its value, and `amount` the
    contribution: `factor * incoming`, or, where `factor` is None, the result of running the node on that element alone.
    """

    output_nr: Natural
    element: Many[Integer]
    incoming: Element
    factor: Element | None
    amount: Element


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """A summand of an element of a gradient: sent by `node` for its input `input_nr`, or given to backward().

    `node` is None for the latter.  `shares` has the largest shares, non-finite ones first; `more` counts the others,
    and `rest` is their sum.  `made` is the result of the node's formula; where `sent` differs, hooks replaced it.
    `adds_up` is True where the sum of the shares is `made`, up to rounding; `why` says why it is not, or why there are
    no shares.
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
    """An element of the gradient at output `output_nr` of a `node`: the sum of `arrivals`.

    `shape` is the shape of the gradient, `arrived` the sum, and `value` the element after the `hooks` of these names
    ran: the one that the node runs on or the leaf accumulates.
    """

    node: Identity
    output_nr: Natural
    shape: Shape
    element: Many[Integer]
    arrived: Element
    value: Element
    hooks: Many[Name]
    arrivals: Many[Arrival]
