"""The server that is attacked: `python host.py STATIC [LAYER...]` serves on a port of its own choice and prints it.

Layers that are named are left out of the children's lock-down: so the tests prove that they would notice.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import uvicorn

from backscope_server.api import app as application
from backscope_server.command.serve import configure, listen
from backscope_server.sandbox.launcher import Launcher
from backscope_server.settings import Settings


def main(static: str, *missing: str) -> None:
    """Serve until the process is ended."""
    if missing:
        application.Launcher = partial(Launcher, without=missing)  # type: ignore[misc]
    settings = Settings()
    listener = listen("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    app = application.create_app(settings, static=Path(static))
    uvicorn.Server(configure(app, settings)).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
