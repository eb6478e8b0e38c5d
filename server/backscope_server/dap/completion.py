"""What may follow what is typed into the debug console: commands, variables and attributes."""

from __future__ import annotations

import ast
import contextlib
import re
from typing import Any

from backscope.protocol import commands as c
from backscope_server.dap import requests as r
from backscope_server.dap.console import COMMANDS
from backscope_server.dap.debuggee import Debuggee
from backscope_server.terminal.debug_session import Impossible

_MOST = 60
_WORD = re.compile(r"(?:(?P<owner>[^\W\d][\w.]*)\.)?(?P<begun>[^\W\d]\w*|)$")


def targets(debuggee: Debuggee, asked: r.Completions, columns_from: int) -> list[dict[str, Any]]:
    """Return what the word before the column may become, in the frame that is asked about."""
    before = asked.text[: max(asked.column - columns_from, 0)]
    word = _WORD.search(before)
    if word is None:
        return []
    owner, begun = word["owner"], word["begun"]
    frame = debuggee.number_of_frame(asked.frame_id)
    if owner is not None:
        found = [(name, "property") for name in _attributes(debuggee, owner, begun, frame)]
    else:
        found = [(name, "variable") for name in _variables(debuggee, frame) if name.startswith(begun)]
        if before.strip() == begun:
            found += [(name, "keyword") for name in COMMANDS if name.startswith(begun)]
    place = {"start": len(before) - len(begun) + columns_from, "length": len(begun)}
    return [{"label": name, "type": kind, **place} for name, kind in dict(found[:_MOST]).items()]


def _variables(debuggee: Debuggee, frame: int) -> list[str]:
    names: list[str] = []
    with contextlib.suppress(Impossible):
        listed: c.LocalsListed = debuggee.look(c.ListLocals(id=0, frame=frame))
        names = [variable.name for variable in listed.variables]
    return sorted({*names, *debuggee.history.tape.bound})


def _attributes(debuggee: Debuggee, owner: str, begun: str, frame: int) -> list[str]:
    """Return the attributes of what a name holds; those that begin with an underscore where one was typed."""
    wanted = f"name.startswith({begun!r})" if begun else "not name.startswith('_')"
    names = f"'\\n'.join([name for name in dir({owner}) if {wanted}][:{_MOST}])"
    try:
        text = debuggee.look(c.Evaluate(id=0, expression=names, frame=frame)).look.text
        joined = ast.literal_eval(text)
    except (Impossible, ValueError, SyntaxError):  # Its text may be cut.
        return []
    return [name for name in joined.split("\n") if name] if isinstance(joined, str) else []
