"""The types of the fields of events and answers, each with its bounds.

The recorder cuts what it records to these bounds, and a server refuses what exceeds them: both read them from here.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

import msgspec

INT64: Final = (-(2**63), 2**63 - 1)
ITEMS: Final = 1 << 16
DEEPEST: Final = 50
"""The most frames of a stack in an event."""
CHARACTERS: Final = 10_000
EVENT_BYTES: Final = 1_000_000
"""The largest size of a recorded event without the program's source, bytes; every server accepts it."""

KEEP_ALL: Final = {"keep": "all"}
KEEP_ENDS: Final = {"keep": "ends"}
KEEP_LAST: Final = {"keep": "last"}
"""The part of a list or text that is kept when an event is cut to its bounds: all of it, its first item and its last
ones, or its last ones; a type without this keeps the first ones.  It is the `extra` of the field's type."""


def counted_by(field: str) -> dict[str, str]:
    """Return the `extra` of a list, where another `field` of the struct counts the items that were left out."""
    return {"count": field}


def snake_case(name: str) -> str:
    """Convert the name of a struct to its tag: "OpApplied" to "op_applied"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


T = TypeVar("T")

Natural: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53, description="A whole number from 0 to 2^53.")]
Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53, description="A whole number from 1 to 2^53.")]
Identity: TypeAlias = Annotated[
    int,
    msgspec.Meta(ge=1, le=2**53, description="A whole number from 1 to 2^53, used once in a run."),
]
Size: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=INT64[1], description="A whole number from 0 to 2^63 - 1.")]
Integer: TypeAlias = Annotated[int, msgspec.Meta(ge=INT64[0], le=INT64[1], description="A whole number of 64 bits.")]

Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=CHARACTERS, description="A text of up to 10,000 characters.")]
LongText: TypeAlias = Annotated[str, msgspec.Meta(max_length=1 << 20, description="A text of up to 2^20 characters.")]
Source: TypeAlias = Annotated[
    str, msgspec.Meta(max_length=1 << 30, description="A program, which is measured before it is run.", extra=KEEP_ALL)
]

NonFinite: TypeAlias = Literal["NaN", "Infinity", "-Infinity"]
Number: TypeAlias = Integer | float | NonFinite
Element: TypeAlias = Number | Annotated[list[Number], msgspec.Meta(max_length=2, extra=KEEP_ALL)]
"""An element of a tensor; a complex one is a pair [re, im]."""

Many: TypeAlias = Annotated[list[T], msgspec.Meta(max_length=ITEMS)]
Table: TypeAlias = Annotated[dict[Name, T], msgspec.Meta(max_length=ITEMS)]
Shape: TypeAlias = Annotated[list[Size], msgspec.Meta(max_length=64, extra=KEEP_ALL)]
Strides: TypeAlias = Annotated[list[Integer], msgspec.Meta(max_length=64, extra=KEEP_ALL)]
Values: TypeAlias = Annotated[list[Element], msgspec.Meta(max_length=256)]
