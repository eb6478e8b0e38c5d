"""Protects the page's types: they follow the engine's events, and a change of one without the other fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from backscope.protocol import events
from backscope.protocol.schema import schema
from backscope.protocol.sentences import typescript
from backscope_server.lessons.block_parts import ATTRIBUTES
from backscope_server.lessons.schema import schema as lesson_schema


def test_the_committed_schema_of_lessons_is_what_the_server_prints(root: Path) -> None:
    assert json.loads((root / "web/src/protocol/lessons.json").read_text("utf-8")) == lesson_schema(), (
        "web/src/protocol/lessons.json is stale. In the folder web, run "
        "`python -m backscope_server.lessons.schema > src/protocol/lessons.json && node scripts/generate-protocol.mjs` "
        "and commit both."
    )


def test_every_block_of_a_lesson_has_its_kind_and_all_fields_required() -> None:
    found = lesson_schema()["$defs"]
    blocks = {name for name in found if name.endswith("Block")}
    kinds = {found[name]["properties"]["kind"]["const"] for name in blocks}
    assert kinds == {*ATTRIBUTES, "text"} - {"solution"}
    for definition in found.values():
        assert definition["required"] == list(definition["properties"])


@pytest.fixture(scope="module")
def committed(root: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((root / "web/src/protocol/schema.json").read_text())
    return found


def test_the_committed_schema_is_what_the_engine_prints(committed: dict[str, object]) -> None:
    assert committed == schema(), (
        "web/src/protocol/schema.json is stale. In the folder web, run "
        "`python -m backscope.protocol.schema > src/protocol/schema.json && node scripts/generate-protocol.mjs` "
        "and commit both."
    )


def test_the_committed_templates_are_what_the_engine_prints(root: Path) -> None:
    for name, text in typescript().items():
        assert (root / "web/src/protocol" / name).read_text("utf-8") == text, (
            f"web/src/protocol/{name} is stale. In the folder web, run "
            "`python -m backscope.protocol.sentences src/protocol` and commit it."
        )


def test_every_event_is_in_the_union_with_its_kind_and_all_fields_required() -> None:
    found = schema()
    names = [option["$ref"].removeprefix("#/$defs/") for option in found["anyOf"]]
    assert names == [event.__name__ for event in events.KINDS.values()]
    for name in names:
        definition = found["$defs"][name]
        assert definition["properties"]["kind"] == {"enum": [getattr(events, name).__struct_config__.tag]}
        assert set(definition["required"]) == set(definition["properties"]) - {"file"}


def test_numbers_keep_their_names() -> None:
    summary = schema()["$defs"]["Summary"]["properties"]
    assert summary["nan_count"] == {"$ref": "#/$defs/Natural"}
    assert summary["min"] == {"anyOf": [{"$ref": "#/$defs/Scalar"}, {"type": "null"}]}
    assert summary["values"]["items"] == {"$ref": "#/$defs/TensorElement"}


@pytest.fixture
def web(root: Path, tmp_path: Path) -> Path:
    """Return a copy of the files that the generation reads and writes."""
    for folder in ("scripts", "src/protocol"):
        shutil.copytree(root / "web" / folder, tmp_path / folder)
    os.symlink(root / "web" / "node_modules", tmp_path / "node_modules")
    shutil.copy(root / "web" / "package.json", tmp_path)
    return tmp_path


def generate(web: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", "scripts/generate-protocol.mjs", *arguments], cwd=web, capture_output=True, text=True, check=False
    )


def test_stale_types_are_caught_and_generating_mends_them(web: Path, committed: dict[str, object]) -> None:
    assert generate(web, "--check").returncode == 0
    changed = json.loads(json.dumps(committed))
    finished = changed["$defs"]["ProgramFinished"]
    finished["properties"]["because"] = {"type": "string"}
    finished["required"].append("because")
    (web / "src/protocol/schema.json").write_text(json.dumps(changed))

    stale = generate(web, "--check")
    assert stale.returncode == 1
    assert "events.ts is stale" in stale.stderr

    lessons = web / "src/protocol/lessons.ts"
    lessons.write_text(lessons.read_text().replace("reached: boolean", "reached: string"))
    assert "lessons.ts is stale" in generate(web, "--check").stderr

    assert generate(web).returncode == 0
    assert "  reached: boolean;" in lessons.read_text()
    assert "  because: string;" in (web / "src/protocol/events.ts").read_text()
    assert generate(web, "--check").returncode == 0
