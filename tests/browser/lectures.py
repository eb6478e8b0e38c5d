"""A collected lesson, as the page packs it into the name of a link."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import link_text
from page_server import Server

SOURCE = """\
import torch

x = torch.tensor(3.0)
w = torch.tensor(2.0, requires_grad=True)
y = w * x
y.backward()
"""


def lecture(title: str = "Where gradients land", **rest: Any) -> dict[str, Any]:
    """Return a lesson of two moments and a question."""

    def moment(at: str, step: int, text: str, question: dict[str, Any] | None = None) -> dict[str, Any]:
        place = {"step": step, "seq": step, "read_seq": step}
        about = {"at": at, "place": place, "caption": "A caption.", "text": text, "question": question}
        return {"program": 0, "hide": ["console"], **about}

    asked = {"ask": "w.grad", "answer": {"kind": "number", "number": 3}}
    return {
        "title": title,
        "learned": "Gradients land in leaves.",
        "programs": [{"source": SOURCE, "seed": 0, "raises": None}],
        "moments": [
            moment("after y is set", 2, "`y` is **made** of both."),
            moment("after a pass", 6, "It is `x`.", asked),
            moment("at the end", 6, "The gradient has landed."),
        ],
        **rest,
    }


def packed(found: dict[str, Any]) -> str:
    """Return the name of a lesson that holds it."""
    return f"-1{link_text.packed(json.dumps(found))}"


def keep(server: Server, found: dict[str, Any]) -> str:
    """Have a server keep a lesson, and return the name that leads to it."""
    body = json.dumps({"lecture": packed(found).removeprefix("-")}).encode()
    headers = {**server.headers, "Content-Type": "application/json"}
    request = urllib.request.Request(f"{server.address}/api/lectures/kept", data=body, headers=headers)
    with urllib.request.urlopen(request) as answer:
        return f"-s{json.load(answer)['lecture']}"
