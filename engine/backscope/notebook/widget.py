"""A widget of notebooks: it shows a recording while it is made, and gives the moment at the page's cursor to Python."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

import anywidget
import traitlets
from IPython import get_ipython
from IPython.display import display

from backscope.caption.run import Run
from backscope.notebook.moment import Moment
from backscope.player import cell
from backscope.program.flush_timer import Pace
from backscope.program.recorded_block import RecordedBlock
from backscope.protocol import events as ev
from backscope.runtime.page_folder import NOT_BUILT

SEND_SECONDS = 0.05
PART_BYTES = 1 << 16
"""Bytes of events that are one part of the widget's state; the last part is sent again as it grows."""
MOST_SENT = 64 << 20
"""Bytes of events that the page gets; it says then that the recording is cut short, which itself goes on."""
PARTS_AT_ONCE = 16
"""Parts that are sent before the next pause: a notebook's server drops messages that come too fast."""


class Widget(anywidget.AnyWidget):
    """Shows a recording in a notebook: one that is complete, or, as a context manager, one that is being made.

    `with Widget(backscope.record()) as run: ...` shows the run below the cell as it goes on.  `step` is that of the
    cursor, from 1 on, 0 before the first, None until the page has told it; it can be set.  `seq` is the number of the
    last event by then, -1 before the first.  `moment` is what happened there.  Both follow the page while no cell runs.

    Raises: RuntimeError where the page is not built.
    """

    step = traitlets.Int(None, allow_none=True).tag(sync=True)
    seq = traitlets.Int(-1).tag(sync=True)
    _page = traitlets.Unicode("").tag(sync=True)
    _page_name = traitlets.Unicode("").tag(sync=True)
    _put = traitlets.Dict().tag(sync=True)
    _height = traitlets.Int(cell.HEIGHT).tag(sync=True)

    _carrier: Widget | None = None
    """The widget whose state has the page, which all in a document share."""

    def __init__(self, recording: RecordedBlock) -> None:
        page = cell.live()
        if page is None:
            raise RuntimeError(NOT_BUILT)
        self.recording = recording
        self._page_text = page.text
        self._ends: list[int] = []
        """For each part, the number of lines up to its end."""
        self._length = 0
        """Bytes of all parts."""
        self._last = 0
        """Bytes of the last part."""
        self._cut = b""
        """The event that ends the log where it grew too long; a part of its own."""
        self._over = threading.Event()
        self._sender: threading.Thread | None = None
        self._pace: Pace | None = None
        self._run = Run()
        self._esm = page.script
        carries = Widget._carrier is None or "google.colab" in sys.modules
        if carries:
            Widget._carrier = self
        if recording.status is not None:
            while self._divide() is not None:
                pass
        super().__init__(_page=page.text if carries else "", _page_name=page.name, _put=page.put)
        self.on_msg(self._asked)

    @property
    def moment(self) -> Moment:
        """The step at the cursor."""
        for event in self.recording.events[len(self._run.events) :]:
            self._run.take(event)
        step = 0 if self.step is None else self.step
        return Moment(self._run, max(0, min(step, len(self._run.moments))))

    def __enter__(self) -> Widget:
        self.recording.__enter__()
        if get_ipython() is not None:
            display(self)
        self._pace = Pace(self.recording)
        self._pace.start()
        self._sender = threading.Thread(target=self._follow, name="backscope-widget", daemon=True)
        self._sender.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pace is not None:
            self._pace.stop()
        try:
            self.recording.__exit__(kind, error, at)
        finally:
            self._over.set()
            if self._sender is not None:
                self._sender.join()

    def __repr__(self) -> str:
        return repr(self.recording)

    def _follow(self) -> None:
        """Send what is new, at a pace, until the end of the block."""
        over = False
        while True:
            rest = PARTS_AT_ONCE
            for _ in self._send_new():
                rest -= 1
                if rest == 0:
                    time.sleep(SEND_SECONDS)
                    rest = PARTS_AT_ONCE
            if over:
                return
            over = self._over.wait(SEND_SECONDS)

    def _send_new(self) -> Iterator[None]:
        """Send each part that is new or has grown; yield after each."""
        while (part := self._divide()) is not None:
            self.send_state((f"_part_{part}", "_parts", "_length"))
            yield

    def _divide(self) -> int | None:
        """Put new events into the last part, or into another one where that is full; return which, None without any."""
        lines = self.recording.lines
        at = self._ends[-1] if self._ends else 0
        if at == len(lines) or self._cut:
            return None
        if not self._ends or self._last + len(lines[at]) >= PART_BYTES:
            self._ends.append(at)
            self._last = 0
        for line in lines[at:]:
            size = len(line) + 1
            if self._length + size > MOST_SENT:
                self._cut = ev.encode(ev.ProgramFinished(seq=self._ends[-1], line=None, status="cut")) + b"\n"
                self._length += len(self._cut)
                break
            if self._last and self._last + size > PART_BYTES:
                break
            self._ends[-1] += 1
            self._last += size
            self._length += size
        return len(self._ends) - 1

    def _part(self, number: int) -> bytes:
        begin = self._ends[number - 1] if number else 0
        text = b"".join(line + b"\n" for line in self.recording.lines[begin : self._ends[number]])
        return text + self._cut if number == len(self._ends) - 1 else text

    # Any: a state as ipywidgets has it.
    def get_state(self, key: str | Iterable[str] | None = None, drop_defaults: bool = False) -> dict[str, Any]:
        """Return the widget's state, or what has one of these names: the events are in it as `_part_0` and so on."""
        log: dict[str, Any] = {"_length": self._length, "_parts": len(self._ends)}
        if key is None:
            names = [*self.keys, *log, *(f"_part_{number}" for number in range(len(self._ends)))]
        else:
            names = [key] if isinstance(key, str) else list(key)
        found: dict[str, Any] = super().get_state([name for name in names if name in self.keys], drop_defaults)
        for name in names:
            if name in log:
                found[name] = log[name]
            elif name.startswith("_part_"):
                found[name] = self._part(int(name.removeprefix("_part_")))
        return found

    # Any: a message of the page's, as ipywidgets has it.
    def _asked(self, _: Any, message: Any, __: Any) -> None:
        if isinstance(message, dict) and message.get("wanted") == "page":
            self.send({"page": self._page_text})
