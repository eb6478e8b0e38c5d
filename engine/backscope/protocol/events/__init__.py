"""The kinds of events, one struct each, and the tagged union of them.

An event says what happened in a program or in one of its backward passes.  Its tag, the field `kind`, is the name of
its struct in snake_case.  Names are past tense and use PyTorch's words.  The log of a run is a list of events with
`seq` 0, 1, 2, ... without gaps.

Identities (`tensor`, `node`, `storage`, `call`) are positive integers, unique in a run and never used again.
A non-finite number is the string "NaN", "Infinity" or "-Infinity"; a complex number is a pair [re, im].
The TypeScript types of the page are generated from these structs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

import msgspec

from backscope.protocol.event_parts import (
    Argument as Argument,
    Diagnosis as Diagnosis,
    Edge as Edge,
    Evidence as Evidence,
    NamedTensor as NamedTensor,
    NodeInfo as NodeInfo,
    ParameterGroup as ParameterGroup,
    ParameterUpdate as ParameterUpdate,
    SavedTensor as SavedTensor,
    Summary as Summary,
    TensorInfo as TensorInfo,
    TracebackLine as TracebackLine,
)
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Element as Element, NonFinite as NonFinite, Number as Number

# The order of these imports is the order of the kinds in the union and in the document of the events.
# isort: off
from backscope.protocol.events.program_kinds import *  # noqa: F403
from backscope.protocol.events.tensor_kinds import *  # noqa: F403
from backscope.protocol.events.graph_kinds import *  # noqa: F403
from backscope.protocol.events.module_kinds import *  # noqa: F403
from backscope.protocol.events.backward_kinds import *  # noqa: F403
from backscope.protocol.events.grad_kinds import *  # noqa: F403
from backscope.protocol.events.saved_tensor_kinds import *  # noqa: F403
from backscope.protocol.events.hook_kinds import *  # noqa: F403
from backscope.protocol.events.debugger_kinds import *  # noqa: F403
# isort: on

PROTOCOL_VERSION = 2
"""1 had no files beside lines: every line was of the main file, whose text was always there."""

if TYPE_CHECKING:
    Event: TypeAlias = BaseEvent
else:
    Event = Union[tuple(BaseEvent.__subclasses__())]  # noqa: UP007
"""Every kind of event.  A type checker knows what they have in common."""

KINDS: dict[str, type[BaseEvent]] = {kind.__struct_config__.tag: kind for kind in BaseEvent.__subclasses__()}  # type: ignore[misc]
"""Every kind of event by its tag, the value of its field `kind`."""


def _as_number(value: Any) -> int:
    """Convert an integer of a class of its own, such as the version of a tensor that was detached in place."""
    return int(value)


def opening(kind: type[BaseEvent]) -> bytes:
    """Return the bytes that the line of every event of a kind begins with."""
    return b'{"kind":"%b",' % str(kind.__struct_config__.tag).encode()


encode = msgspec.json.Encoder(enc_hook=_as_number).encode
"""Encode one event as a line of JSON, without the newline."""

decode = msgspec.json.Decoder(Event).decode
"""Decode an event from its JSON; raises msgspec.ValidationError or msgspec.DecodeError for anything else."""
