"""The JSON schema of lessons as the API gives them, from which the page's TypeScript types are generated.

`python -m backscope_server.lessons.schema` prints it; `web/src/protocol/lessons.json` is a copy of that output.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from pydantic.json_schema import models_json_schema

from backscope_server.lessons.judging import Verdict
from backscope_server.lessons.lesson import Lesson, LessonTitle
from backscope_server.lessons.moment_naming import NamedMoment
from backscope_server.lessons.preview import LessonDraft

ROOTS = (Lesson, LessonTitle, Verdict, LessonDraft, NamedMoment)
"""The answers of the API; what is in them comes with them."""


def schema() -> dict[str, Any]:
    """Return the schema: every model under `$defs`, with all of its fields required, as answers have them."""
    _, described = models_json_schema([(root, "serialization") for root in ROOTS], ref_template="#/$defs/{model}")
    definitions = {name: _cleaned(one) for name, one in described["$defs"].items()}
    for definition in definitions.values():
        definition["required"] = list(definition["properties"])
    return {"$schema": "http://json-schema.org/draft-07/schema#", "$defs": definitions}


def _cleaned(part: Any) -> Any:
    """Remove the titles of fields, defaults and the indentation of docstrings, and integers beside numbers."""
    if isinstance(part, list):
        return [_cleaned(item) for item in part]
    if not isinstance(part, dict):
        return part
    held = {key: _cleaned(value) for key, value in part.items() if key not in ("default", "discriminator")}
    if isinstance(held.get("title"), str) and "properties" not in held:
        del held["title"]
    if isinstance(held.get("description"), str):
        held["description"] = inspect.cleandoc(held["description"])
    if {"type": "number"} in held.get("anyOf", []):
        held["anyOf"] = [option for option in held["anyOf"] if option != {"type": "integer"}]
    return held


def main() -> None:
    """Print the schema."""
    print(json.dumps(schema(), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
