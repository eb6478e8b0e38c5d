"""Texts as links of the page have them."""

from __future__ import annotations

import base64
import zlib


def packed(text: str) -> str:
    """Return a text deflated, in the letters of base64 for addresses."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return base64.urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=")
