"""The pages about a server itself: what it keeps of those who use it, and its terms.  An instance may replace both."""

from __future__ import annotations

import html
import logging
from pathlib import Path

from fastapi import APIRouter, Request, Response

from backscope.diagnosis.why.answer import amount
from backscope_server.settings import Settings

logger = logging.getLogger(__name__)
router = APIRouter()

_DAY = 86_400
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title} · Backscope</title>\n'
    "<h1>{title}</h1>\n{body}\n<p><a href='/'>Backscope</a></p></html>\n"
)


@router.get("/privacy", include_in_schema=False)
def privacy(request: Request) -> Response:
    """Return what this server keeps, and for how long."""
    settings: Settings = request.app.state.settings
    return _page(settings, "privacy", "Privacy", _kept(settings))


@router.get("/terms", include_in_schema=False)
def terms(request: Request) -> Response:
    """Return the terms of this server."""
    settings: Settings = request.app.state.settings
    return _page(settings, "terms", "Terms", _TERMS)


_TERMS = [
    "Programs run in a sandbox, within limits of time and memory, and may be stopped at any time. Nothing is promised "
    "of this server's being there, or of what it shows being right.",
    "Do not try to break out of the sandbox, to disturb others, or to run what takes much and teaches nothing. "
    "Addresses that do may be refused.",
    "Your programs stay yours. Do not share what is not yours to share.",
]


def _kept(settings: Settings) -> list[str]:
    """Return the paragraphs about what is kept, from the settings."""
    found = [
        "Visitors of a public server get no cookies, and nothing is loaded from elsewhere. Your network address "
        "is held in memory while its limits are counted, for about a minute after the last request and while programs "
        "of it run or wait; it is written into no log.",
        "A program and the recording of its run are held in memory until others need the room"
        + (
            f", and by a fleet for {_days(settings.fleet_kept_seconds)} at most."
            if settings.fleet
            else ", and for as long as the server runs."
        ),
    ]
    if settings.storage_folder() is not None:
        found.append(
            f"Finished runs are kept on this server's disk: the last {settings.storage_kept:,}, and "
            f"{amount(settings.storage_bytes)} at most."
        )
    if settings.cache:
        found.append(
            "Who starts a program that ran before, letter by letter the same, may get the recording of that run."
        )
    if settings.shares_place() is not None:
        found.append(
            "A run is kept for a short link only when you make one: its program and recording, for "
            f"{_days(settings.share_seconds)}. Whoever has the link can open it; the browser that made it removes it. "
            "A code is kept with it that is computed from your network address, so that links of one address can be "
            "counted; the address cannot be read from it."
        )
    found.append("What you write in the page, and the secrets of links, are kept in your own browser.")
    return found


def _days(seconds: float) -> str:
    days = seconds / _DAY
    return f"{days:g} days" if days != 1 else "a day"


def _page(settings: Settings, name: str, title: str, paragraphs: list[str]) -> Response:
    text: str | None = None
    if settings.pages_folder:
        try:
            text = (Path(settings.pages_folder).expanduser() / f"{name}.html").read_text(encoding="utf-8")
        except FileNotFoundError:
            pass  # The other page may be the only one that is replaced.
        except (OSError, UnicodeDecodeError) as error:
            logger.warning("The page %s of BACKSCOPE_PAGES_FOLDER cannot be read: %s", name, error)
    if text is None:
        body = "\n".join(f"<p>{html.escape(one)}</p>" for one in paragraphs)
        text = _PAGE.format(title=title, body=body)
    return Response(text, media_type="text/html", headers={"cache-control": "no-cache"})
