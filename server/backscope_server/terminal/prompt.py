"""Reads the debugger's commands from a person with readline, a pipe, or a file."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

PROMPT = "(backscope) "
_KEPT = 1000


def _state_folder() -> Path:
    """Return the user's folder for what programs keep between runs."""
    try:
        import platformdirs
    except ImportError:  # It comes with the server.
        return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "backscope"
    return Path(platformdirs.user_state_dir("backscope"))


class Prompt:
    """Reads commands; `candidates` returns the completions of the line that is being typed.

    A file of commands is read before anything else.
    """

    def __init__(self, file: Path | None, candidates: Callable[[str], Iterable[str]]) -> None:
        self.person = sys.stdin.isatty()
        self._waiting = [] if file is None else file.read_text().splitlines()
        self._candidates = candidates
        self._found: list[str] = []
        if self.person:
            self._prepare()

    def read(self) -> str | None:
        """Return the next command; None when there are no more."""
        if self._waiting:
            line: str | None = self._waiting.pop(0)
        elif self.person:
            try:
                return input(PROMPT)
            except EOFError:
                print()
                return None
        else:
            line = sys.stdin.readline() or None
        if line is not None:  # As if it had been typed, so that what is written can be read.
            print(f"{PROMPT}{line.rstrip()}", flush=True)
        return line

    def again(self) -> None:
        """Print the prompt of a person once more, with what was typed: something else has been printed meanwhile."""
        if self.person and not self._waiting:
            readline = sys.modules.get("readline")
            print(f"{PROMPT}{readline.get_line_buffer() if readline else ''}", end="", flush=True)

    def _prepare(self) -> None:
        """Set up history and completion, if the system has readline."""
        try:
            import readline
        except ImportError:
            return
        import atexit

        past = _state_folder() / "debug_history"
        with contextlib.suppress(OSError):
            readline.read_history_file(past)
        readline.set_history_length(_KEPT)
        readline.set_completer_delims(" \t\n")
        readline.set_completer(self._complete)
        editline = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if editline else "tab: complete")
        mine = os.getpid()

        def keep() -> None:
            if os.getpid() == mine:
                with contextlib.suppress(OSError):
                    past.parent.mkdir(parents=True, exist_ok=True)
                    readline.write_history_file(past)

        atexit.register(keep)

    def _complete(self, text: str, state: int) -> str | None:
        import readline

        if state == 0:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            self._found = sorted({one for one in self._candidates(before) if one.startswith(text)})
        return self._found[state] if state < len(self._found) else None
