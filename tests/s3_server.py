"""A store that speaks S3, for tests: moto's server, in a process of its own, with one empty bucket."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import IO

_START = "from moto.server import main; main(['--port', '0'])"
_ADDRESS = re.compile(rb"Running on (http://127\.0\.0\.1:\d+)")

BUCKET = "shared"
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests"}
"""Who the client is, which moto does not check."""


class S3Server:
    """A server with a bucket, at `endpoint`."""

    def __init__(self) -> None:
        with tempfile.TemporaryFile() as said:
            self._process = subprocess.Popen([sys.executable, "-c", _START], stderr=said)
            self.endpoint = self._address(said)
        with urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/{BUCKET}", method="PUT"), timeout=60):
            pass

    @property
    def settings(self) -> dict[str, str]:
        """The settings of a server that keeps shared runs here."""
        return {"shares": f"s3://{BUCKET}/runs", "share_endpoint": self.endpoint, "share_region": "us-east-1"}

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait(60)

    def _address(self, said: IO[bytes]) -> str:
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            said.seek(0)
            if found := _ADDRESS.search(said.read()):
                return found[1].decode()
            time.sleep(0.02)
        raise AssertionError("moto's server does not start")
