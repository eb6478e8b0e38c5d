"""A port, a folder and a file for one program that must all stay untouched."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path


class Trap:
    """A port, a folder and a file for one program that must all stay untouched."""

    def __init__(self, folder: Path, name: str, canary: str) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        self.folder.chmod(0o777)
        self.file = folder / f"{name}.canary"
        self.file.write_text(canary)
        self.file.chmod(0o666)
        self.canary = canary
        self.stream = socket.create_server(("127.0.0.1", 0))
        self.stream.setblocking(False)
        self.port: int = self.stream.getsockname()[1]
        self.datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):  # Another one may have that port; then there is a TCP listener only.
            self.datagram.bind(("127.0.0.1", self.port))
        self.datagram.setblocking(False)

    def sprung(self) -> list[str]:
        """Return a sentence for each thing that was touched, and close the port."""
        found = []
        with contextlib.suppress(BlockingIOError):
            connection, _ = self.stream.accept()
            connection.close()
            found.append("it connected to the listener")
        with contextlib.suppress(OSError):
            self.datagram.recv(1)
            found.append("it sent a datagram")
        self.stream.close()
        self.datagram.close()
        if left := os.listdir(self.folder):
            found.append(f"it left files: {left}")
        if not self.file.is_file() or self.file.read_text() != self.canary:
            found.append("it changed the file")
        return found
