"""Makes the answer to a refused request: JSON for the API, a small HTML page in a browser."""

from __future__ import annotations

import html

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import Scope

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
p {{ margin: 0; color: #63605a; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #141516; color: #e9e7e2; }}
  p {{ color: #a3a09a; }}
}}
</style>
<main>
<h1>{title}</h1>
<p>{message}</p>
</main>
</html>
"""


def refusal_of(problem: Problem, scope: Scope) -> JSONResponse | HTMLResponse:
    """Return the answer for a problem: a page if a browser opens an address, otherwise JSON."""
    answer = response(problem)
    if is_under(scope["path"], "/api") or "text/html" not in Headers(scope=scope).get("accept", ""):
        return answer
    page = HTMLResponse(
        _PAGE.format(
            title=_TITLES.get(problem.status, "This request is not served"),
            message=html.escape(problem.message),
            nonce=scope["state"]["nonce"],
        ),
        status_code=problem.status,
    )
    page.headers["cache-control"] = "no-store"
    if problem.retry_after is not None:
        page.headers["retry-after"] = str(problem.retry_after)
    return page
