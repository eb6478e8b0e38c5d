"""The facts about an error that the engine raises, attached to the error for its diagnosis."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from backscope.runtime.listening import refusal


class ErrorFacts(NamedTuple):
    """The kind of an error, and the nodes, tensors and numbers that it is about."""

    kind: str
    found: dict[str, Any]


_NONE = ErrorFacts("", {})

E = TypeVar("E", bound=BaseException)


def blame(error: E, kind: str, **facts: object) -> E:
    """Attach the facts for a diagnosis to an error of the engine; return the error."""
    error.backscope = ErrorFacts(kind, facts)  # type: ignore[attr-defined]
    return refusal(error)


def note_recorded(error: BaseException) -> None:
    """Mark an error as recorded, on the error itself: a list of errors would keep the tensors of their frames alive."""
    object.__getattribute__(error, "__dict__")["backscope_recorded"] = True


def is_recorded(error: BaseException) -> bool:
    """Return True for an error that note_recorded() was called with."""
    return "backscope_recorded" in object.__getattribute__(error, "__dict__")


def facts_of(error: BaseException) -> ErrorFacts:
    """Return the facts that blame() attached: none for an error that is not the engine's.

    Read without running code of the program's: its own exceptions may answer to any name.
    """
    found = object.__getattribute__(error, "__dict__").get("backscope")
    return found if isinstance(found, ErrorFacts) else _NONE


# Any: a node; its class is in a room above this one.
def node_of(error: BaseException) -> Any:
    """The node that an error is about, None where there is none."""
    return facts_of(error).found.get("node")
