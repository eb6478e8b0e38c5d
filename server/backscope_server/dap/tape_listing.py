"""The tape as a disassembly: a row a node, in the order in which backward() runs them."""

from __future__ import annotations

from typing import Any

from backscope.diagnosis.why.log.facts import NodeFacts
from backscope_server.dap import requests as r
from backscope_server.dap.debuggee import Debuggee

_INVALID = 1 << 40
"""The address of rows before the first node and after the last one."""


def reference(node: int) -> str:
    """Return the address of a node."""
    return hex(node)


def rows(debuggee: Debuggee, asked: r.Disassemble) -> list[dict[str, Any]]:
    """Return rows of the tape around a node, as many as are asked for.

    Raises: ValueError for an address that is none.
    """
    at = int(asked.memory_reference, 0) + asked.offset
    seq = debuggee.seq
    alive = [facts for facts in debuggee.history.tape.nodes.values() if facts.alive(seq) or facts.number == at]
    order = sorted(alive, key=lambda facts: -facts.number)
    here = next((n for n, facts in enumerate(order) if facts.number <= at), len(order))
    first = here + asked.instruction_offset
    return [
        _row(debuggee, order[n], seq)
        if 0 <= n < len(order)
        else {"address": hex(_INVALID + n - first), "instruction": "", "presentationHint": "invalid"}
        for n in range(first, first + min(asked.instruction_count, 10_000))
    ]


def _row(debuggee: Debuggee, facts: NodeFacts, seq: int) -> dict[str, Any]:
    below = ", ".join(f"#{number}" for number in facts.below)
    kept = ", ".join(saved.slot.removeprefix("_saved_") for saved in facts.kept(seq))
    parts = [facts.name, f"keeps {kept}" if kept else "", f"sends to {below}" if below else ""]
    if facts.leaf is not None:
        parts.append(f"fills {debuggee.history.tape.name(facts.leaf, seq)}.grad")
    place = debuggee.place_of(facts.line)
    return {
        "address": reference(facts.number),
        "instruction": "  ".join(part for part in parts if part),
        "symbol": f"#{facts.number}",
        **({"location": place["source"], "line": place["line"]} if place else {}),
    }
