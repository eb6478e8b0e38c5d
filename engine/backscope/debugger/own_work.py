"""The debugger's own work, which is neither recorded nor stopped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub


class OwnWork:
    """A context in which the debugger runs code: ops are not recorded, and lines and nodes do not stop.

    `active` is True inside.  The program's grad mode and listener are put back at the end.
    """

    __slots__ = ("_of_program", "active")

    def __init__(self) -> None:
        self.active = False
        self._of_program: tuple[bool, Listener | None] = (True, None)

    def __enter__(self) -> None:
        self.active = True
        self._of_program = mode.enabled, hub.listener
        mode.enabled, hub.listener = False, None

    def __exit__(self, *error: object) -> None:
        mode.enabled, hub.listener = self._of_program
        self.active = False

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """Inside, what runs on the user's behalf is recorded like the program."""
        mode.enabled, hub.listener = self._of_program
        try:
            yield
        finally:
            mode.enabled, hub.listener = False, None
