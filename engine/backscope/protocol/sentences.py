"""The templates of captions in `sentences.toml`: filled here for Python, and written as TypeScript for the page.

`python -m backscope.protocol.sentences FOLDER` writes `sentences.ts`, `op-names.ts` and `steps.ts`, which
`web/src/protocol` has.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

PLACE = re.compile(r"\{(\w+)\}")
_DATA = ("hook_kinds", "steps", "written")
_SIGNED = ("signs", "sign_variants", "variants", "modules", "infix", "names")
"""The parts of `written` that the page needs before captions: the signs on the pills of ops."""

_BANNER = """\
// The words of captions, which events make a step, and how ops are written.
//
// Generated from engine/backscope/protocol/sentences.toml; do not edit. After a change there, in the folder web:
//     python -m backscope.protocol.sentences src/protocol
"""


@cache
def tables() -> dict[str, Any]:
    """Return the content of the file: templates by name, in tables by the kind of event, and tables of other data."""
    return tomllib.loads(files("backscope.protocol").joinpath("sentences.toml").read_text("utf-8"))


@cache
def templates() -> dict[str, str]:
    """Return the templates by name, such as "program_started" and "tensor_created.made"."""
    found: dict[str, str] = {}
    for name, held in tables().items():
        if isinstance(held, str):
            found[name] = held
        elif name not in _DATA:
            found.update((f"{name}.{variant}", template) for variant, template in held.items())
    return found


def say(name: str, /, **places: str | int) -> str:
    """Fill all places of a template.

    Raises: KeyError for an unknown template, and for a place that is missing or too many.
    """
    template = templates()[name]
    if places.keys() != set(PLACE.findall(template)):
        raise KeyError(f"{name} has the places {PLACE.findall(template)}, and is given {[*places]}")
    return PLACE.sub(lambda at: str(places[at[1]]), template)


def typescript() -> dict[str, str]:
    """Return TypeScript modules by file name: the templates, the names of ops, and what the page needs before these."""
    signed = {name: held for name, held in tables()["written"].items() if name in _SIGNED}
    written = {name: held for name, held in tables()["written"].items() if name not in _SIGNED}
    data = {name.upper(): tables()[name] for name in _DATA if name != "written"}
    modules = {
        "sentences.ts": {"TEMPLATES": templates(), "WRITTEN": written},
        "op-names.ts": {"SIGNED": signed},
        "steps.ts": data,
    }
    return {name: "\n".join([_BANNER, *map(_constant, held, held.values())]) for name, held in modules.items()}


def _constant(name: str, held: object) -> str:
    return f"export const {name} = {json.dumps(held, indent=2, ensure_ascii=False)} as const;\n"


if __name__ == "__main__":
    for name, text in typescript().items():
        Path(sys.argv[1], name).write_text(text, encoding="utf-8")
