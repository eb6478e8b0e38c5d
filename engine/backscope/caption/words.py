"""Joins texts and sentences, and isolates the program's own text within them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backscope.protocol.sentences import say

SPACES = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""Characters that the page counts as space around a text."""
_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_FOREIGN = re.compile("[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]")


def listed(texts: Sequence[str]) -> str:
    """Join texts as English does: `a`, `a and b`, `a, b and c`."""
    if len(texts) < 2:
        return texts[0] if texts else ""
    return f"{say('join.comma').join(texts[:-1])}{say('join.and')}{texts[-1]}"


def together(*sentences: str) -> str:
    """Join sentences with spaces, without those that are empty."""
    return " ".join(filter(None, sentences))


def isolated(text: str) -> str:
    """Return a text of the program in Unicode isolates if it has a writing direction of its own, else unchanged."""
    return f"\u2068{_CONTROLS.sub('', text)}\u2069" if _FOREIGN.search(text) else text
