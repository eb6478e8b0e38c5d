"""`backscope export`: writes a recorded run and the page that plays it into one HTML file."""

from __future__ import annotations

import io
import secrets
import sys
from pathlib import Path

from backscope.caption import why_no_step
from backscope.ops.names.all import catalogue
from backscope.player import page_template
from backscope.protocol import trace
from backscope.protocol.whole_file import whole_file
from backscope.runtime.page_folder import NOT_BUILT
from backscope_server.command.trace_error import print_trace_error
from backscope_server.session import trace_file
from backscope_server.session.admission import NotATrace
from backscope_server.settings import Settings


def fill(template: str, recorded: bytes, *, name: str, step: int | None = None) -> str:
    """Return the page with a trace in it, opened at a step, 1 for the first."""
    fragment = "" if step is None else f"at={step - 1}"
    about = {"name": name, "fragment": fragment, "ops": catalogue()}
    return page_template.put_in(template, title=name, nonce=secrets.token_urlsafe(16), about=about, traces=[recorded])


def export(source: Path, target: Path | None, *, name: str | None, step: int | None) -> int:
    """Write the page of a trace file; return the exit status."""
    target = target or source.with_suffix(".html")
    if target == source:
        print(f"backscope: {target} is the trace itself. Name another file with -o.", file=sys.stderr)
        return 1
    try:
        recorded = source.read_bytes()
        events, _ = trace_file.load(io.BytesIO(recorded), Settings().limits())
    except (NotATrace, trace.TraceError, OSError) as error:
        print_trace_error(source, error)
        return 1
    if (template := page_template.single()) is None:
        print(NOT_BUILT, file=sys.stderr)
        return 1
    if step is not None and (reason := why_no_step(step, events)) is not None:
        print(f"backscope: {source}: {reason}", file=sys.stderr)
        return 1
    return save(target, fill(template, recorded, name=source.stem if name is None else name, step=step))


def save(target: Path, text: str) -> int:
    """Write a page into a file and print its size, or why it cannot be written; return the exit status."""
    try:
        # A name from a command line may hold bytes that are no text.
        with whole_file(target) as file:
            file.write(text.encode(errors="replace"))
    except OSError as error:
        print(f"backscope: cannot write {target}: {error.strerror or error}", file=sys.stderr)
        return 1
    print(f"backscope: wrote {target}, {target.stat().st_size:,} bytes", file=sys.stderr)
    return 0
