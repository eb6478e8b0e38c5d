"""Answers GET requests with a tag of the content, so that a client fetches again only what has changed."""

from __future__ import annotations

import hashlib
from typing import Any

from fastapi import Request, Response

UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The content still has the tag that If-None-Match names; the answer has no body."}
}
"""The answer that a route of this kind may have beside its content, for the description of the API."""


def validated(request: Request, content: bytes) -> Response:
    """Return JSON with the tag of its content; without the content where If-None-Match names that tag."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag}
    # A proxy that compresses an answer makes its tag a weak one.
    known = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
    if known & {tag, "*"}:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="application/json", headers=headers)
