"""What can be asked, and about what."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

Key: TypeAlias = str
"""Which question: one of the keys that `ask` knows."""


class Subject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a question is about: a tensor or a node by its identity; with neither, the run as a whole."""

    tensor: int | None = None
    node: int | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question that makes sense of a subject at a moment, e.g. key "grad_none", "Why is w.grad None?"."""

    key: Key
    text: str
    about: Subject


class NotAsked(ValueError):
    """A question that does not exist, or that makes no sense of its subject at its moment."""
