"""A server in a process of its own, so that its descriptors and child processes can be counted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx
import psutil
from websockets.sync.client import connect

HOST = Path(__file__).parents[1] / "attacks" / "host.py"
PATIENCE = 60.0
"""The seconds after which a test fails that waits for the server."""
SETTINGS = {
    "wall_seconds": 20,
    "cpu_seconds": 10,
    "memory_bytes": 256 << 20,
    "output_bytes": 200_000,
    "events": 5_000,
    "log_bytes": 4 << 20,
    "event_bytes": 256 << 10,
    "source_bytes": 50_000,
    "running": 20,
    "kept_bytes": 8 << 20,
    "address_starts": 1_000_000,
    "address_requests": 1_000_000,
    "zygote_programs": 1_000_000,
    "storage": "off",
    "token": "off",
}


class Server:
    """A server in a process of its own, and a client of it; `counted` counts commands and answers by kind."""

    def __init__(self, static: Path, folder: Path) -> None:
        environment = {f"BACKSCOPE_{name.upper()}": str(value) for name, value in SETTINGS.items()}
        self.said = folder / "said"
        with self.said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, str(HOST), str(static)],
                env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )
        self.port = int(self.process.stdout.readline())
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE)
        self.seen = psutil.Process(self.process.pid)
        self.counted: Counter[str] = Counter()

    def close(self) -> None:
        self.http.close()
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()

    def connect(self, path: str):
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, max_queue=None, open_timeout=PATIENCE)

    def held(self) -> tuple[int, int]:
        """Return the numbers of descriptors and of child processes of the server."""
        return self.seen.num_fds(), len(self.seen.children(recursive=True))
