"""A tab of any browser, by the few verbs that every driver has."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from playwright.sync_api import ConsoleMessage, ElementHandle, Frame, Page

WAIT_SECONDS = 60
"""The limit for a state to come, which only something that hangs reaches."""

_FIND = """
const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 0;
const isNamed = (one, name) =>
  [one.ariaLabel, one.textContent].some((text) => text !== null && name.test(text.replace(/\\s+/g, ' ').trim()));
const find = (selector, name) =>
  [...document.querySelectorAll(selector)].find((one) => seen(one) && isNamed(one, new RegExp(name)));
"""
"""`find` gives the first element that is shown, has the selector, and has an accessible name or text that matches."""

_SEE = "(selector, name) => find(selector, name) !== undefined"

_GONE = "(selector, name) => find(selector, name) === undefined"

_PLACE = """async (selector, name) => {
  const box = () => {
    const one = find(selector, name);
    one?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return one?.getBoundingClientRect();
  };
  const before = box();
  await new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)));
  const now = box();
  if (!before || !now || before.x !== now.x || before.y !== now.y || before.width !== now.width) return null;
  const [x, y] = [now.x + now.width / 2, now.y + now.height / 2];
  const top = document.elementFromPoint(x, y);
  const one = find(selector, name);
  return top && one.contains(top) && !one.disabled ? [x, y] : null;
}"""
"""The middle of an element that rests, can be used, and is under nothing else; null while it is not so."""


class Tab(ABC):
    """A tab; elements are found by a CSS selector and a regular expression for their accessible name or text."""

    @abstractmethod
    def open(self, address: str) -> None:
        """Load a page."""

    @abstractmethod
    def run(self, script: str, *values: Any) -> Any:
        """Return what a function of JavaScript, or its promise, gives for these values, in the frame that is chosen."""

    @abstractmethod
    def click_at(self, x: float, y: float) -> None:
        """Press and release the mouse at a place of the frame that is chosen."""

    @abstractmethod
    def drag(self, x: float, y: float, by: float) -> None:
        """Press the mouse at a place of the page, move it so many pixels to the right, and release it."""

    @abstractmethod
    def press(self, key: str) -> None:
        """Press a key, as "Control+Enter"."""

    @abstractmethod
    def write(self, text: str) -> None:
        """Type text into what has the keyboard."""

    @abstractmethod
    def inside(self, host: str) -> AbstractContextManager[None]:
        """Choose the frame in the shadow root of an element, given by its selector, while a block runs."""

    @abstractmethod
    def errors(self) -> list[str]:
        """Return the errors that scripts of the page logged since the last call, where the driver has them."""

    def until(self, script: str, *values: Any) -> Any:
        """Return the first result of a function that is true; the page may be loading.

        Raises: AssertionError.
        """
        end = time.monotonic() + WAIT_SECONDS
        while True:
            if found := self.run(f"(...values) => {{ {_FIND} return ({script})(...values); }}", *values):
                return found
            if time.monotonic() > end:
                shown = self.run("() => document.body.innerText")
                raise AssertionError(f"Not so after {WAIT_SECONDS} s: {script} for {values}. The page shows:\n{shown}")
            time.sleep(0.02)

    def see(self, selector: str, name: str = "") -> None:
        """Wait until an element is shown."""
        self.until(_SEE, selector, name)

    def miss(self, selector: str, name: str = "") -> None:
        """Wait until no such element is shown."""
        self.until(_GONE, selector, name)

    def click(self, selector: str, name: str = "") -> None:
        """Wait until an element can be clicked, and click it."""
        self.click_at(*self.until(_PLACE, selector, name))

    def drag_by(self, by: float, selector: str, name: str = "") -> None:
        """Wait until an element rests under nothing, and drag it so many pixels to the right."""
        self.drag(*self.until(_PLACE, selector, name), by)

    def text(self, selector: str) -> str:
        """Return the text of an element that is shown, once there is one."""
        found: list[str] = self.until("(selector) => find(selector, '') && [find(selector, '').textContent]", selector)
        return found[0]


class PlaywrightTab(Tab):
    """A tab that Playwright drives."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._frame: Page | Frame = page
        self._host: ElementHandle | None = None
        self._errors: list[str] = []
        page.on("console", self._logged)
        page.on("pageerror", lambda error: self._errors.append(str(error)))

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._errors.append(message.text)

    def open(self, address: str) -> None:
        self.page.goto(address)

    def run(self, script: str, *values: Any) -> Any:
        return self._frame.evaluate(f"(values) => ({script})(...values)", list(values))

    def click_at(self, x: float, y: float) -> None:
        box = self._host.bounding_box() if self._host else None
        self.page.mouse.click(x + (box["x"] if box else 0), y + (box["y"] if box else 0))

    def drag(self, x: float, y: float, by: float) -> None:
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + by, y, steps=5)
        self.page.mouse.up()

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def write(self, text: str) -> None:
        self.page.keyboard.type(text)

    @contextmanager
    def inside(self, host: str) -> Iterator[None]:
        self._host = self.page.wait_for_selector(f"{host} iframe")
        frame = self._host.content_frame() if self._host else None
        assert frame is not None
        self._frame = frame
        yield
        self._frame, self._host = self.page, None

    def errors(self) -> list[str]:
        found, self._errors[:] = list(self._errors), []
        return found
