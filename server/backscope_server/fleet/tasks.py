"""Ends tasks that talk to Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

# Any: what the tasks return is not looked at.
from typing import Any

_AGAIN_SECONDS = 0.5


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have ended: Redis's client may take a cancellation for a lost connection."""
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=_AGAIN_SECONDS)
