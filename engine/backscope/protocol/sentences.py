"""The templates of captions in `sentences.toml`: filled here for Python, and printed as TypeScript for the page.

`python -m backscope.protocol.sentences` prints them; `web/src/protocol/sentences.ts` is what it printed last.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

PLACE = re.compile(r"\{(\w+)\}")
_DATA = ("hook_kinds", "steps", "written")

_BANNER = """\
// The words of captions, which events make a step, and how ops are written.
//
// Generated from engine/backscope/protocol/sentences.toml; do not edit. After a change there, in the folder web:
//     python -m backscope.protocol.sentences > src/protocol/sentences.ts
"""


@cache
def tables() -> dict[str, Any]:
    """The file: templates by name, in tables by the kind of event, and tables of other data."""
    return tomllib.loads(files("backscope.protocol").joinpath("sentences.toml").read_text("utf-8"))


@cache
def templates() -> dict[str, str]:
    """The templates by name, as "program_started" and "tensor_created.made"."""
    found: dict[str, str] = {}
    for name, held in tables().items():
        if isinstance(held, str):
            found[name] = held
        elif name not in _DATA:
            found.update((f"{name}.{variant}", template) for variant, template in held.items())
    return found


def say(name: str, /, **places: str | int) -> str:
    """A template with all its places filled.

    Raises: KeyError for a template that there is not, and for a place that is missing or too many.
    """
    template = templates()[name]
    if places.keys() != set(PLACE.findall(template)):
        raise KeyError(f"{name} has the places {PLACE.findall(template)}, and is given {[*places]}")
    return PLACE.sub(lambda at: str(places[at[1]]), template)


def typescript() -> str:
    """The whole file as constants of TypeScript."""
    parts = {"TEMPLATES": templates(), **{name.upper(): tables()[name] for name in _DATA}}
    constants = (
        f"export const {name} = {json.dumps(held, indent=2, ensure_ascii=False)} as const;\n"
        for name, held in parts.items()
    )
    return "\n".join([_BANNER, *constants])


if __name__ == "__main__":
    print(typescript(), end="")
