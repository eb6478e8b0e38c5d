"""What a notebook shows of a recording: the page that plays it in a frame, or text where scripts do not run.

The page itself, some 600 kB, is in a document once: the output of one cell carries it, and the others find it there.
"""

from __future__ import annotations

import base64
import hashlib
import html
import secrets
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from backscope.ops.names.all import catalogue
from backscope.pictures import page_width
from backscope.player.page_template import literal, places, script, single
from backscope.protocol import events as ev, trace

HEIGHT = 560
"""The height of the frame in CSS pixels, which a reader can change at its corner."""

MOST_DRAWN = 5000
"""Events of a recording that a picture is drawn of when it is shown."""

_carrier: str | None = None
"""The cell whose output carries the page, by the name that the notebook gives it."""


def forget_carrier() -> None:
    """Have the next output carry the page: in a notebook whose outputs have been cleared."""
    global _carrier
    _carrier = None


@cache
def _page() -> tuple[str, str] | None:
    """Return the page with names in the place of what is put into it, and its hash; None where it is not built."""
    text = single()
    if text is None:
        return None
    return text, hashlib.sha256(text.encode()).hexdigest()[:16]


def _carries() -> bool:
    """Return whether the output of the cell that runs is to carry the page.

    It is where a notebook does not say which of its cells runs, or, as Colab does, gives each output a page of its own.
    """
    global _carrier
    cell = _running_cell()
    if cell is None or "google.colab" in sys.modules:
        return True
    _carrier = _carrier or cell
    return _carrier == cell


def _running_cell() -> str | None:
    """Return the name of the cell that runs, as JupyterLab and VS Code give it along; None elsewhere."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    kernel = getattr(shell, "kernel", None)
    try:
        found = kernel.get_parent("shell")["metadata"]["cellId"]  # type: ignore[union-attr]
    except (AttributeError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) else None


def picture(lines: Sequence[bytes], step: int | None = None) -> bytes | None:
    """Return a step of a recording as PNG, that of `show`; None where it cannot be drawn, or takes too long."""
    if len(lines) > MOST_DRAWN:
        return None
    from backscope import pictures

    try:
        return pictures.png(trace.pack(lines), step=step)
    except (pictures.PictureError, OSError):
        return None


def show(lines: Sequence[bytes], text: str, picture: bytes | None = None, *, step: int | None = None) -> str | None:
    """Return the HTML that plays recorded events in a cell; None where the page is not built.

    `text` and `picture`, a PNG, are shown where scripts do not run.  It opens at a step, from 1 on, else before the
    first backward pass.
    """
    page = _page()
    if page is None:
        return None
    template, name = page
    used = _op_names(lines)
    put = _put(
        {
            "name": "",
            "fragment": "" if step is None else f"at={step - 1}",
            "ops": [op for op in catalogue() if op.get("name") in used],
        },
        [trace.pack(lines)],
    )
    carried = ""
    if _carries():
        carried = f'<script type="application/json" data-backscope-page="{name}">{literal(template)}</script>'
    shows = _scripts("cell.js").replace("PAGE", literal(name)).replace("PUT", literal(put))
    shows = f"(() => {{\n{shows.replace('HEIGHT', str(HEIGHT))}}})();"
    said = f"<pre>{html.escape(text)}</pre>{_image(picture)}<p>{MISSING}</p>"
    return f'<div class="backscope">{said}{carried}<script>{shows}</script></div>'


def _image(picture: bytes | None) -> str:
    if picture is None:
        return ""
    return (
        f'<img alt="" width="{page_width(picture)}" src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
    )


class LivePage(NamedTuple):
    """The page that shows the events that its widget has."""

    text: str
    name: str
    put: dict[str, str]
    script: str
    """A module for anywidget."""


def live() -> LivePage | None:
    """Return the page of a widget; None where it is not built."""
    page = _page()
    if page is None:
        return None
    put = _put({"name": "", "fragment": "", "ops": list(catalogue()), "live": True}, [])
    return LivePage(*page, put, _scripts("widget.js"))


# Any: facts that JSON can hold.
def _put(about: dict[str, Any], traces: list[bytes]) -> dict[str, str]:
    return places(title="Backscope", nonce=secrets.token_urlsafe(16), about=about, traces=traces)


def _scripts(name: str) -> str:
    """Return a script after those that it builds on."""
    return "".join(map(script, ("frame.js", "box.js", name)))


def _op_names(lines: Sequence[bytes]) -> set[str]:
    return {event.op for event in map(ev.decode, lines) if isinstance(event, ev.OpApplied)}


MISSING = (
    "The player is in another output of this notebook, or scripts do not run here: trust the notebook. "
    "If that output was cleared, run <code>%reload_ext backscope</code>, then this cell again."
)
