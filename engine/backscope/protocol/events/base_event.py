"""The fields that every event has."""

from __future__ import annotations

import msgspec

from backscope.protocol.field_types import Natural, Positive, snake_case


class BaseEvent(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=snake_case, forbid_unknown_fields=True
):
    """`line` is the 1-based line of the user's code that was running, or None outside it.

    `file` is the number of the file that the line is in, which a `source_added` before it has; it is left out for the
    main file.
    """

    seq: Natural
    line: Natural | None
    file: Positive | msgspec.UnsetType = msgspec.UNSET
