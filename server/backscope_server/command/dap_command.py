"""`backscope dap`: an editor's debugger, over the standard streams or a port of this machine."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable

from backscope_server.command.debug_page import DebugPage
from backscope_server.dap.adapter import Adapter
from backscope_server.dap.client_output import NativeOutput
from backscope_server.dap.wire import Wire
from backscope_server.settings import Settings
from backscope_server.terminal.debugged_process import DebuggedProcess


def _page(torch: bool, opened: Callable[[str], None]) -> DebugPage:
    """Return the page of a program, on a free port of this machine; `opened` gets its address."""
    settings = Settings(public=False, host="127.0.0.1", port=0)
    return DebugPage(settings, opened, browser=False, torch=torch)


def run(port: int | None) -> int:
    """Serve one editor; return 0 once it has disconnected, 2 where the port cannot be used."""
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
    Adapter(wire, _page).run()
    return 0
