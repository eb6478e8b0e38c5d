"""The fields that every event has."""

from __future__ import annotations

import re

import msgspec

from backscope.protocol.field_types import Natural


def _tag(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class BaseEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=_tag):
    """`line` is the 1-based line of the user's code that was running, or None outside it."""

    seq: Natural
    line: Natural | None
