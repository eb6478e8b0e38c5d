"""Files by which those who run a server decide, while it runs, who may start programs and whether anyone may."""

from __future__ import annotations

import ipaddress
import logging
from pathlib import Path

logger = logging.getLogger(__name__)

_MOST_CHARACTERS = 500
CLOSED = "This server starts no programs now. Recordings and links can be opened."


class Switch:
    """Reads the two files again when they change; a name that is empty stands for no file.

    No program starts while there is a file `closed`, whose text says why.  `denied` has an address or a network in each
    line; `#` begins a comment.
    """

    def __init__(self, closed: str, denied: str) -> None:
        self._closed = Path(closed) if closed else None
        self._denied = Path(denied) if denied else None
        self._changed: tuple[int, int] | None = None
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []

    @property
    def refusal(self) -> str | None:
        """Why no program may start now, None where programs may."""
        if self._closed is None:
            return None
        try:
            text = self._closed.read_text(encoding="utf-8", errors="replace")[:_MOST_CHARACTERS].strip()
        except FileNotFoundError:
            return None
        except OSError:
            text = ""
        return text or CLOSED

    def denies(self, address: str) -> bool:
        """Return whether an address, as limits are counted by it, is on the list."""
        self._read()
        if not self._networks:
            return False
        try:
            network = ipaddress.ip_network(address)
        except ValueError:
            return False
        return any(network.version == one.version and network.overlaps(one) for one in self._networks)

    def _read(self) -> None:
        if self._denied is None:
            return
        try:
            about = self._denied.stat()
            if (about.st_mtime_ns, about.st_size) == self._changed:
                return
            lines = self._denied.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            self._changed, self._networks = None, []
            return
        self._changed, self._networks = (about.st_mtime_ns, about.st_size), []
        for number, line in enumerate(lines, start=1):
            if text := line.partition("#")[0].strip():
                try:
                    self._networks.append(ipaddress.ip_network(text, strict=False))
                except ValueError:
                    logger.warning("Line %d of the list of denied addresses is no address.", number)
