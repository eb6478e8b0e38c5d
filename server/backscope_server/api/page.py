"""Serves the built page: its files, and index.html for any other path."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from backscope.runtime.page_folder import NOT_BUILT

FOLDER = Path(__file__).parents[1] / "static"

NONCE = "BACKSCOPE_NONCE"
"""The placeholder for the nonce of the policy in the built index.html; web/vite.config.ts puts it there."""


def is_built(folder: Path = FOLDER) -> bool:
    """Return whether the page has been built."""
    return (folder / "index.html").is_file()


class Page(StaticFiles):
    """Serves the files of the built page, and index.html for other paths, which the page interprets itself."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(directory=folder, html=True, check_dir=False)
        self._folder = folder

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or index.html; a plain text if the page has not been built."""
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, "Only GET is possible here.")
        if not is_built(self._folder):
            return Response(NOT_BUILT + "\n", status_code=503, media_type="text/plain")
        if not path.startswith("assets/"):
            return await self._fresh(path, scope)
        response = await super().get_response(path, scope)
        # Files under assets/ have the hash of their content in their name.
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response

    async def _fresh(self, path: str, scope: Scope) -> Response:
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404:
                raise
            response = None
        if response is None or response.headers.get("content-type", "").startswith("text/html"):
            response = self._index(scope, "embed.html" if path == "embed" else "index.html")
        response.headers.setdefault("cache-control", "no-cache")
        return response

    def _index(self, scope: Scope, name: str) -> Response:
        """Return index.html with the nonce of this answer; it is never cached, since a nonce is used once."""
        text = (self._folder / name).read_text(encoding="utf-8")
        text = text.replace(NONCE, scope["state"]["nonce"])
        return Response(text, media_type="text/html", headers={"cache-control": "no-store"})
