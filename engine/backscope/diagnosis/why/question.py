"""Questions, and the subjects that they are about."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

Key: TypeAlias = str
"""The key of a question; inquiry.KEYS has all of them."""


class Subject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The subject of a question: a tensor or a node by its identity; with neither, the whole run."""

    tensor: int | None = None
    node: int | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question that can be asked about a subject at a moment, e.g. key "grad_none", "Why is w.grad None?"."""

    key: Key
    text: str
    about: Subject


class NotAsked(ValueError):
    """The error for a question that does not exist, or does not apply to its subject at its moment."""
