"""Drops a file on the page, as from the desktop; packs events into a trace file."""

from __future__ import annotations

import gzip

from backscope.protocol import trace

DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  for (const type of ['dragover', 'drop']) {
    window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""
"""Takes the name of the file and its content in base64."""


def packed(lines: list[bytes]) -> bytes:
    """Return a trace file of these encoded events, which need not be valid."""
    return gzip.compress(b"".join(line + b"\n" for line in [trace.header(), *lines]))
