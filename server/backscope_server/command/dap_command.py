"""`backscope dap`: an editor's debugger, over the standard streams or a port of this machine."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from backscope_server.dap import listening
from backscope_server.dap.adapter import Page
from backscope_server.dap.attaching import AttachingAdapter
from backscope_server.dap.client_output import NativeOutput
from backscope_server.dap.requests import Launch
from backscope_server.dap.wire import Wire
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.debugged_process import DebuggedProcess
from backscope_server.terminal.local import read_program
from backscope_server.terminal.shared_process import NoPage

if TYPE_CHECKING:
    from backscope_server.settings import Settings


def run(port: int | None, settings: Callable[[], Settings | None]) -> int:
    """Serve one editor; return 0 once it has disconnected, 2 where the port cannot be used.

    `settings` gives those of the server that shows a program, None, after messages, where they are invalid.
    """

    page = _page_of(settings)
    if port is None:
        incoming, outgoing = os.dup(0), os.dup(1)
    else:
        try:
            with socket.create_server(("127.0.0.1", port)) as listening:
                print(f"listening on 127.0.0.1:{listening.getsockname()[1]}", flush=True)
                connection, _ = listening.accept()
        except OSError as error:
            print(f"backscope: port {port} cannot be used: {error.strerror or error}", file=sys.stderr)
            return 2
        incoming = connection.detach()
        outgoing = os.dup(incoming)
    DebuggedProcess.keep_from_programs(incoming, outgoing)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    wire = Wire(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0))
    NativeOutput(wire.event)
    AttachingAdapter(wire, page).run()
    return 0


def listen(
    port: int,
    file: str,
    arguments: list[str],
    seed: int,
    torch: bool,
    page: bool,
    settings: Callable[[], Settings | None],
) -> int:
    """Run a program that editors may attach to; return its exit status, 2 where it or the port cannot be used."""
    source = read_program(file)
    if source is None:
        return 2
    launch = Launch(program=file, args=arguments, seed=seed, engine="torch" if torch else "backscope", page=page)
    try:
        return listening.listen(port, launch, source, _page_of(settings))
    except OSError as error:
        print(f"backscope: port {port} cannot be used: {error.strerror or error}", file=sys.stderr)
        return 2
    except (Impossible, NoPage) as error:
        print(f"backscope: {error}", file=sys.stderr)
        return 2


def _page_of(settings: Callable[[], Settings | None]) -> Callable[[bool, Callable[[str], None]], Page]:
    """Return a function that makes the page of a program."""

    def page(torch: bool, opened: Callable[[str], None]) -> Page:
        given = settings()
        if given is None:
            raise Impossible("The page has settings that are invalid; the adapter's standard error names them.")
        from backscope_server.command.debug_page import DebugPage

        return DebugPage(given, opened, browser=False, torch=torch)

    return page
