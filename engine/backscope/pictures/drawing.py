"""Drawing a recording: the page's code, run by Node, writes each picture as SVG."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Literal, Protocol

import msgspec

from backscope.ops.names.all import catalogue
from backscope.pictures.node import OLDEST, find_node
from backscope.runtime.page_folder import NOT_BUILT, page_folder

Theme = Literal["light", "dark"]

INSTALL = "pip install 'backscope[pictures]'"
NO_NODE = f"Drawing pictures needs Node {OLDEST} or newer: put it on PATH, or run `{INSTALL}`, which brings one."


class PictureError(RuntimeError):
    """The error for a picture that cannot be drawn; its text says why and what to do."""


class Saves(Protocol):
    """What can write itself as a trace, as a Recording does."""

    def save(self, path: str, /) -> object:
        """Write the trace."""


Source = str | os.PathLike[str] | bytes | Saves


class Drawn(msgspec.Struct, rename="camel"):
    """A picture as SVG, in pixels; `foreign` where it has other than Latin letters."""

    svg: str
    width: int
    height: int
    step: int
    caption: str
    duration_ms: float
    foreign: bool


class _Problem(msgspec.Struct):
    problem: str


def folder() -> Path:
    """Return the folder with the drawing and its fonts.

    Raises: PictureError where the page is not built.
    """
    page = page_folder()
    if page is None or not (page / "picture").is_dir():
        raise PictureError(NOT_BUILT)
    return page / "picture"


def draw(source: Source, wanted: Mapping[str, Any]) -> Iterator[Drawn]:
    """Yield the pictures that are wanted of a recording, in their order.

    Raises: PictureError, OSError where the recording cannot be read.
    """
    recorded = _bytes_of(source)
    node = find_node()
    if node is None:
        raise PictureError(NO_NODE)
    script = folder() / "picture.mjs"
    request = msgspec.json.encode({**wanted, "ops": catalogue()}) + b"\n"
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen([node, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
        except OSError as error:
            raise PictureError(f"Cannot start {node}: {error.strerror or error}.") from error
        with process:
            assert process.stdin is not None and process.stdout is not None
            # Node reads all of it before it writes; it may end before that.
            feeder = threading.Thread(target=_feed, args=(process.stdin, request, recorded), daemon=True)
            feeder.start()
            try:
                yield from map(_read, process.stdout)
            finally:
                process.kill()
                feeder.join()
            process.wait()
        _raise_what_node_said(process.returncode, said)


def _feed(pipe: IO[bytes], *parts: bytes) -> None:
    with contextlib.suppress(OSError), pipe:
        for part in parts:
            pipe.write(part)


def _read(line: bytes) -> Drawn:
    if line.startswith(b'{"problem"'):
        raise PictureError(msgspec.json.decode(line, type=_Problem).problem)
    return msgspec.json.decode(line, type=Drawn)


def _raise_what_node_said(status: int, said: IO[bytes]) -> None:
    said.seek(0)
    last = [line for line in said.read().decode(errors="replace").splitlines() if line.strip()]
    if not last:
        return
    raise PictureError(f"Node ended with status {status} while it drew: {' '.join(last[-3:])}")


def _bytes_of(source: Source) -> bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, str | os.PathLike):
        return Path(source).read_bytes()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "run.backscope")
        source.save(str(path))
        return path.read_bytes()
