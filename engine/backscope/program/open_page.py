"""Showing a recording in the page: the command `backscope open` in a process of its own."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import html
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backscope.runtime.extras import why_missing

_ADDRESS = re.compile(r"https?://\S+")


class Page:
    """A recording that is open in the page at `url`; close() ends its server."""

    def __init__(self, url: str, server: subprocess.Popen[str], folder: Path) -> None:
        self.url = url
        self._server = server
        self._folder = folder
        # Later output of the server must not fill the pipe.
        self._reader = threading.Thread(target=server.stdout.read if server.stdout else str, daemon=True)
        self._reader.start()
        atexit.register(self.close)

    def close(self) -> None:
        """End the server."""
        atexit.unregister(self.close)
        if self._server.poll() is None:
            self._server.terminate()
            try:
                self._server.wait(10)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        self._reader.join()
        if self._server.stdout is not None:
            self._server.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def wait(self) -> None:
        """Wait until the server ends or Ctrl-C ends it."""
        with contextlib.suppress(KeyboardInterrupt):
            self._server.wait()
        self.close()

    def __repr__(self) -> str:
        return f"Backscope is at {self.url}" if self._server.poll() is None else "This page is closed."

    def _repr_html_(self) -> str:
        url = html.escape(self.url, quote=True)
        return f'<a href="{url}" target="_blank" rel="noopener">Open the recording in Backscope</a>'


def command() -> str:
    """Return the path of the command `backscope`: beside this Python, else on the path.

    Raises: RuntimeError where it is not installed.
    """
    beside = Path(sys.executable).parent / "backscope"
    if beside.is_file():
        if (reason := why_missing("show()", "server")) is not None:
            raise RuntimeError(f"{reason}. {_OTHERWISE}")
        return str(beside)
    found = shutil.which("backscope")
    if found is None:
        raise RuntimeError(
            "show() starts the command `backscope`, which is not installed here: it comes with Backscope's wheel, and "
            f"is in .venv/bin after `python3 server`. {_OTHERWISE}"
        )
    return found


_OTHERWISE = "save(PATH) writes a file that can be opened elsewhere, with `backscope open PATH` or dropped on the page."


def _interactive() -> bool:
    """Return True at a prompt: in a notebook, in IPython, or Python's own."""
    return hasattr(sys, "ps1") or hasattr(builtins, "get_ipython")


def _in_notebook() -> bool:
    """Return True if results are shown in a page already, which may be on another machine."""
    return hasattr(builtins, "get_ipython") and "ipykernel" in sys.modules


def open_page(save: Callable[[Path], Any], *, browser: bool, wait: bool | None) -> Page:
    """Save a recording, open it with a server of its own, and say where; see Recording.show.

    Raises: RuntimeError where there is no command, or its server did not start.
    """
    program = command()
    folder = Path(tempfile.mkdtemp(prefix="backscope-"))
    try:
        page = _start(program, save, folder, browser and not _in_notebook())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if wait is None:
        wait = not _interactive()
    if not _interactive():
        print(f"{page!r}{'  (Ctrl-C to go on)' if wait else ''}", flush=True)
    if wait:
        page.wait()
    return page


def _start(program: str, save: Callable[[Path], Any], folder: Path, browser: bool) -> Page:
    path = folder / "recording.backscope"
    save(path)
    given = [program, "open", str(path), *([] if browser else ["--no-browser"])]
    # In a session of its own: Ctrl-C is for the program, which then ends the server.
    server = subprocess.Popen(
        given,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said: list[str] = []
    try:
        for line in server.stdout or ():
            said.append(line)
            if line.startswith("Backscope is at ") and (found := _ADDRESS.search(line)):
                return Page(found[0], server, folder)
        server.communicate()
    except BaseException:  # Ctrl-C while it starts.
        server.kill()
        server.communicate()
        raise
    raise RuntimeError(f"The server that was to show the recording did not start:\n{''.join(said).strip()}")
