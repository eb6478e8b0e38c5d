"""The value that a pack hook keeps instead of a tensor, in words."""

from __future__ import annotations

import re

from backscope.protocol.sentences import say


def packed_text(packed: str) -> str:
    """Return what a pack hook keeps: a plain value itself, of any other its type with an article."""
    if not re.fullmatch(r"[A-Za-z_]\w*", packed, re.ASCII):
        return packed
    if packed[0] in "aeiouAEIOU":
        return say("recorded.packed_an", type=packed)
    return say("recorded.packed_a", type=packed)
