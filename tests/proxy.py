"""A TCP proxy that loses connections: it cuts WebSockets after a given number of bytes."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator


class Proxy:
    """Forwards to a port of this machine; `cuts` says after how many bytes from the server each WebSocket is cut.

    A negative number cuts after so many bytes from the client, -1 before its first one.  When `cuts` is used up,
    connections are left alone.
    """

    def __init__(self, port: int, cuts: Iterator[int]) -> None:
        self._port = port
        self._cuts = cuts
        self.made = 0
        """WebSockets that were cut so far."""
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            first = client.recv(1 << 16)
            cut = None
            if b"upgrade: websocket" in first.lower():
                with self._lock:
                    cut = next(self._cuts, None)
            with socket.create_connection(("127.0.0.1", self._port)) as server:
                up = -cut if cut is not None and cut < 0 else None
                down = cut if cut is not None and cut >= 0 else None
                upward = threading.Thread(target=self._forward, args=(client, server, up, first), daemon=True)
                upward.start()
                self._forward(server, client, down, b"")
                upward.join()

    def _forward(self, source: socket.socket, target: socket.socket, most: int | None, first: bytes) -> None:
        sent = 0
        data = first
        with contextlib.suppress(OSError):
            while True:
                if data:
                    if most is not None and sent + len(data) >= most:
                        target.sendall(data[: most - sent])
                        with self._lock:
                            self.made += 1
                        break
                    target.sendall(data)
                    sent += len(data)
                if not (data := source.recv(1 << 16)):
                    break
        for end in (source, target):
            with contextlib.suppress(OSError):
                if most is not None and self.made % 2:  # Half of the cuts are resets, the others orderly ends.
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)
