"""Calls of modules."""

from __future__ import annotations

from backscope.protocol.event_parts import NamedTensor
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, LongText, Many, Name, Natural


class ModuleDescribed(BaseEvent, frozen=True, kw_only=True):
    """A module is about to be called for the first time; `text` is what its repr shows between brackets.

    `path` begins with the program's variable, e.g. "model.encoder.layers.0"; it is the name of the class where no
    variable leads to the module.  `parameters` are its own, without those of modules inside it.
    """

    module: Identity
    type: Name
    path: Name
    text: LongText
    parameters: Many[NamedTensor]


class ModuleEntered(BaseEvent, frozen=True, kw_only=True):
    """A module was called; the events until `module_left` of this `call` happened inside it.

    `caller` is the call of the module whose forward() calls it, and `times` counts the calls within that one, or within
    the program.  A module that is shared has the `path` by which this caller reaches it.
    """

    call: Identity
    module: Identity
    path: Name
    caller: Identity | None
    times: Natural


class ModuleLeft(BaseEvent, frozen=True, kw_only=True):
    """A call of a module returned or raised."""

    call: Identity
