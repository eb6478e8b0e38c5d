"""The document of the events is what the structs say, and a kind without a docstring has no place in it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from backscope.protocol import events, field_types
from backscope.protocol.document import described, document

COMMITTED = Path(__file__).resolve().parents[3] / "engine" / "EVENTS.md"


def test_the_committed_document_is_current() -> None:
    assert COMMITTED.read_text("utf-8") == document(), (
        "engine/EVENTS.md is stale. In the folder engine, run "
        "`python -m backscope.protocol.document > EVENTS.md` and commit it."
    )


def test_it_has_every_kind_with_its_own_fields() -> None:
    text = document()
    for kind, struct in events.KINDS.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{kind}` |")]
        fields = [name for name in struct.__struct_fields__ if name not in ("seq", "line", "file")]
        assert [name for name in fields if f"`{name}: " not in row] == []
    assert [name for name in ("Identity", "Natural", "Many", "Table") if f"| `{name}` |" not in text] == []
    assert field_types.ITEMS == 65_536 and "65,536" in text


def test_a_kind_without_a_docstring_is_refused() -> None:
    class Silent(msgspec.Struct):
        tensor: int

    class Inheriting(events.TensorReleased, frozen=True, kw_only=True):
        pass

    for kind in (Silent, Inheriting):
        with pytest.raises(LookupError, match=f"{kind.__name__} has no docstring"):
            described(kind)
