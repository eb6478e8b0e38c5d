"""The debugger's own work, which is neither recorded nor stopped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub


class OwnWork:
    """A context in which the debugger runs code: ops are not recorded, and lines and nodes do not stop.

    `active` is True inside.
    """

    __slots__ = ("active",)

    def __init__(self) -> None:
        self.active = False

    def __enter__(self) -> None:
        self.active = True
        self.away()

    def __exit__(self, *error: object) -> None:
        self.back()
        self.active = False

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """Inside, what runs on the user's behalf is recorded like the program."""
        self.back()
        try:
            yield
        finally:
            self.away()

    def away(self) -> None:
        """Have nothing recorded from here on."""
        raise NotImplementedError

    def back(self) -> None:
        """Have the program recorded as it was."""
        raise NotImplementedError


class EngineOwnWork(OwnWork):
    """Work during which the engine has no listener and no tape; the program's are put back."""

    __slots__ = ("_of_program",)

    def __init__(self) -> None:
        super().__init__()
        self._of_program: tuple[bool, Listener | None] = (True, None)

    def __enter__(self) -> None:
        self._of_program = mode.enabled, hub.listener
        super().__enter__()

    def away(self) -> None:
        """Have nothing recorded from here on."""
        mode.enabled, hub.listener = False, None

    def back(self) -> None:
        """Have the program recorded as it was."""
        mode.enabled, hub.listener = self._of_program
