"""How the name of a variable or a parameter may be written."""

from __future__ import annotations

import re

_INDEX = re.compile(r"""\[\s*(?:(\d+)|'([^']*)'|"([^"]*)")\s*\]""")


def spellings(name: str) -> list[str]:
    """The names that the log may have for it: `net[0].weight` of a Sequential is `net.0.weight` there."""
    dotted = _INDEX.sub(lambda found: "." + next(part for part in found.groups() if part is not None), name)
    quoted = _INDEX.sub(lambda found: found[0] if found[3] is None else f"[{found[3]!r}]", name)
    return list(dict.fromkeys([name, quoted, dotted]))
