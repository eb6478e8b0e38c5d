"""The folder of the built page, which a wheel of the server's package brings."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

NOT_BUILT = (
    "Backscope's page is not built. In a checkout, `python3 server` builds it, as does `npm ci && npm run build` in "
    "the folder web with Node 22.12 or newer; a wheel of Backscope brings it."
)


def page_folder() -> Path | None:
    """Return the folder of the built page; None where the server's package is not installed."""
    server = find_spec("backscope_server")
    for place in (server.submodule_search_locations or ()) if server is not None else ():
        return Path(place, "static")
    return None
