"""Reads the processor time of the tasks of a page's main thread, which other work on the machine disturbs least."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

CATEGORIES = ["toplevel", "blink.user_timing"]
TASK = "ThreadControllerImpl::RunTask"


class Tasks:
    """The tasks in an interval, and the marks that the page set in it by `performance.mark`."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def marks(self, name: str) -> list[float]:
        """Return each time that a mark was set, in microseconds."""
        return sorted(event["ts"] for event in self._marks() if event["name"] == name)

    def between(self, begin: float, end: float) -> float:
        """Return the milliseconds of processor time of the tasks that ended between two times.

        By the clock where the browser's trace has no processor time.
        """
        mark = self._marks()[0]
        own = [event for event in self.events if event.get("ph") == "X" and event["name"] == TASK]
        return sum(
            float(event.get("tdur", event["dur"])) / 1000
            for event in own
            if event["pid"] == mark["pid"] and event["tid"] == mark["tid"] and begin <= event["ts"] + event["dur"] < end
        )

    def _marks(self) -> list[dict[str, Any]]:
        return [event for event in self.events if "blink.user_timing" in event.get("cat", "")]


@contextmanager
def tasks_of(page: Page) -> Iterator[Tasks]:
    """Record the tasks of a page during the context; they are available after it."""
    session = page.context.new_cdp_session(page)
    tasks = Tasks()
    ended: list[bool] = []
    session.on("Tracing.dataCollected", lambda message: tasks.events.extend(message["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    config = {"includedCategories": CATEGORIES}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
    try:
        yield tasks
    finally:
        session.send("Tracing.end")
        while not ended:
            page.wait_for_timeout(50)
