"""The folder of the built page, which a wheel of the server's package brings."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def page_folder() -> Path | None:
    """Return the folder of the built page; None where the server's package is not installed."""
    server = find_spec("backscope_server")
    for place in (server.submodule_search_locations or ()) if server is not None else ():
        return Path(place, "static")
    return None
