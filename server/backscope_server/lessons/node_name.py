"""Nodes as lessons name them: the next one, one by its class, that of a variable, or that of a leaf."""

from __future__ import annotations

import re

import msgspec

from backscope.moments.moment_name import NODE, VARIABLE, NotAName, composed
from backscope.runtime.known_names import one_of, quoted

FORMS = {
    "next node": "the node that runs next after the moment",
    "MulBackward0 #2": "the second node of this class to run in the pass; #1 where no number is given",
    "grad_fn of y": "the node that made a variable's tensor",
    "leaf w": "the node that adds to the `.grad` of a leaf, AccumulateGrad",
}
"""Every form of a node's name and its meaning."""

_PATTERNS = {
    "next": re.compile("next node"),
    "class": re.compile(rf"({NODE})(?: #([1-9][0-9]{{0,5}}))?"),
    "grad_fn": re.compile(rf"grad_fn of ({VARIABLE})"),
    "leaf": re.compile(rf"leaf ({VARIABLE})"),
}


class NodeName(msgspec.Struct, frozen=True):
    """The name of a node: its form, the class or the variable, and which one of its class."""

    form: str
    name: str
    number: int


def parse(text: str) -> NodeName:
    """Parse the name of a node.

    Raises: NotAName.
    """
    words = composed(text)
    for form, pattern in _PATTERNS.items():
        if (found := pattern.fullmatch(words)) is not None:
            groups = [*found.groups(), None, None]
            return NodeName(form, groups[0] or "", int(groups[1] or 1))
    raise NotAName(f"{quoted(words)} names no node. {one_of(words, FORMS)}")
