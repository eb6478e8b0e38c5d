"""Times shared runs in a folder, and in a store that speaks S3: moto's server on this machine."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from s3_server import ENVIRONMENT, S3Server

from backscope_server.storage.folder_objects import FolderObjects
from backscope_server.storage.objects import Objects
from backscope_server.storage.s3_objects import S3Objects
from backscope_server.storage.share_storage import Bounds, Moment, ShareStorage

_TIMES = 50
_BOUNDS = Bounds(seconds=1000, kept=10_000, nbytes=1 << 40, of_address=10_000, bytes_of_address=1 << 40)


async def measure(name: str, objects: Objects, nbytes: int) -> None:
    """Print the median times of what is done with a shared run of a size."""
    store = ShareStorage(objects, _BOUNDS)
    took: dict[str, list[float]] = {"keep": [], "label": [], "content": [], "remove": []}
    for number in range(_TIMES):
        begun = time.perf_counter()
        shared = await store.keep(os.urandom(nbytes), Moment(0), "title", f"{number % 10}")
        took["keep"].append(time.perf_counter() - begun)
        for what, done in (
            ("label", store.label(shared.identity)),
            ("content", store.content(shared.identity)),
            ("remove", store.remove(*shared)),
        ):
            begun = time.perf_counter()
            await done
            took[what].append(time.perf_counter() - begun)
    store.close()
    print(f"{name}, {nbytes:,} B:", ", ".join(f"{what} {median(some) * 1000:.1f} ms" for what, some in took.items()))


def main() -> None:
    """Measure both."""
    os.environ.update(ENVIRONMENT)
    server = S3Server()
    try:
        with tempfile.TemporaryDirectory() as place:
            for nbytes in (10_000, 1_000_000):
                asyncio.run(measure("folder", FolderObjects(Path(place, str(nbytes))), nbytes))
                asyncio.run(measure("S3", S3Objects(f"s3://shared/{nbytes}", server.endpoint, "us-east-1"), nbytes))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
