"""Makes the answer to a refused request: JSON for the API, a small HTML page in a browser or a frame."""

from __future__ import annotations

import html

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import Scope

from backscope_server.access.embedding import EMBED, embedder
from backscope_server.access.policy import is_under
from backscope_server.errors import Problem, response

_TITLES = {
    403: "This address is not served",
    429: "Too many requests",
}

# The colours of web/src/theme/tokens.css.
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Backscope: {title}</title>
<style nonce="{nonce}">
:root {{ color-scheme: light dark; }}
body {{ margin: 0; padding: 0 24px; background: #fbfaf7; color: #1c1b19; font: 15px/24px system-ui, sans-serif; }}
main {{ max-width: 560px; margin: 20vh auto 0; overflow-wrap: anywhere; }}
h1 {{ margin: 0 0 8px; font-size: 20px; font-weight: 600; }}
p {{ margin: 0 0 8px; color: #63605a; }}
a {{ color: inherit; }}
@media (max-height: 480px) {{ main {{ margin-top: 24px; }} }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #141516; color: #e9e7e2; }}
  p {{ color: #a3a09a; }}
}}
</style>
<main>
<h1>{title}</h1>
{paragraphs}
</main>
</html>
"""


def refusal_of(problem: Problem, scope: Scope) -> JSONResponse | HTMLResponse:
    """Return the answer for a problem: a page if a browser opens an address, otherwise JSON."""
    answer = response(problem)
    if is_under(scope["path"], "/api") or "text/html" not in Headers(scope=scope).get("accept", ""):
        return answer
    title = _TITLES.get(problem.status, "This request is not served")
    page = _page(scope, problem.status, title, [html.escape(problem.message)])
    if problem.retry_after is not None:
        page.headers["retry-after"] = str(problem.retry_after)
    return page


def frame_refusal_of(scope: Scope, embed_from: str) -> HTMLResponse:
    """Return the text for a frame in a page that may not show it: which pages may, and how another one is allowed."""
    headers = Headers(scope=scope)
    here = headers.get("host", "")
    if scope["path"] != EMBED:
        reason = [f"No page may show this address of {here} in a frame, only {here}{EMBED}: Export has its snippet."]
    else:
        page = embedder(headers)
        origin = f"{page.scheme}://{page.netloc.rpartition('@')[2]}"[:100] if page else ""
        pages = f"pages of {origin}" if origin else "the page around this frame"
        allowed = f"These may: {embed_from}." if embed_from else "No page may."
        value = " ".join(filter(None, [embed_from, origin or "https://docs.example.org"]))
        reason = [
            f"The server {here} does not let {pages} show its runs. {allowed}",
            f'Whoever runs the server can allow it: BACKSCOPE_EMBED_FROM="{value}"',
        ]
    link = '<a href="/" target="_blank" rel="noopener">Open Backscope in a tab of its own</a>'
    return _page(scope, 403, "This frame may not be shown here", [*map(html.escape, reason), link])


def _page(scope: Scope, status: int, title: str, paragraphs: list[str]) -> HTMLResponse:
    """Return a page without scripts; `paragraphs` are HTML."""
    text = "\n".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    page = HTMLResponse(_PAGE.format(title=title, paragraphs=text, nonce=scope["state"]["nonce"]), status_code=status)
    page.headers["cache-control"] = "no-store"
    return page
