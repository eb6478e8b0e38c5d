"""The innermost listener of the engine: the one that records, behind those that forward moments to it."""

from __future__ import annotations

from backscope.runtime.listener import Forwarding, Listener
from backscope.runtime.listening import hub


def innermost() -> Listener | None:
    """Return the listener behind all Forwarding ones, which anomaly and inference mode put before it."""
    listener = hub.listener
    while isinstance(listener, Forwarding):
        listener = listener.behind
    return listener


def put_innermost(wanted: Listener | None) -> None:
    """Replace the innermost listener by another one, or by none."""
    listener = hub.listener
    if not isinstance(listener, Forwarding):
        hub.listener = wanted
        return
    while isinstance(listener.behind, Forwarding):
        listener = listener.behind
    listener.behind = wanted
