"""The debug console: expressions, and the commands of the terminal that look at the program."""

from __future__ import annotations

import re

from backscope_server.dap.client_output import ClientScreen
from backscope_server.dap.debuggee import Debuggee
from backscope_server.terminal.inspection_commands import InspectionCommands

COMMANDS = ("why", "graph", "saved", "memory", "values", "curve", "log", "events", "where")
"""The commands of the terminal that the console has too."""
_COMMAND = re.compile(rf"\s*(?P<name>{'|'.join(COMMANDS)})(?:\s+(?P<argument>[\w#].*))?\s*")


def command(typed: str) -> tuple[str, str] | None:
    """Return the name and the argument of a command; None for anything else, which is an expression."""
    found = _COMMAND.fullmatch(typed)
    return None if found is None else (found["name"], (found["argument"] or "").strip())


def carry_out(debuggee: Debuggee, name: str, argument: str, frame: int) -> str:
    """Return what a command prints.

    Raises: Impossible, NotAsked and NotThere, as in the terminal.
    """
    said: list[str] = []
    screen, debuggee.screen = debuggee.screen, ClientScreen(lambda *_, **__: None, said.append)
    before, debuggee.frame = debuggee.frame, frame
    try:
        getattr(InspectionCommands(debuggee), name)(argument)
    finally:
        debuggee.screen, debuggee.frame = screen, before
    return "".join(said).rstrip("\n")
