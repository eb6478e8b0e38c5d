"""The fields that every event has."""

from __future__ import annotations

import msgspec

from backscope.protocol.field_types import Natural, snake_case


class BaseEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=snake_case):
    """`line` is the 1-based line of the user's code that was running, or None outside it."""

    seq: Natural
    line: Natural | None
