"""The command `backscope`: serve, run, open."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pydantic import ValidationError

from backscope_server import __version__


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    from backscope_server.settings import Settings

    default = Settings.model_fields
    top = argparse.ArgumentParser(prog="backscope", description="See what PyTorch's backward() does, step by step.")
    top.add_argument("--version", action="version", version=f"backscope {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    listening = argparse.ArgumentParser(add_help=False)
    listening.add_argument(
        "--port", type=int, help=f"port to listen on (default {default['port'].default}); 0 takes any that is free"
    )
    listening.add_argument("--host", help=f"address to listen on, loopback only (default {default['host'].default})")
    listening.add_argument("--no-browser", action="store_true", help="do not open a browser")

    serve = commands.add_parser("serve", parents=[listening], help="start the server and open its page")
    serve.description = (
        "Start the server and open its page. Limits are set by environment variables: see server/README.md."
    )

    run = commands.add_parser("run", help="run a program in the terminal, as python does")
    run.description = "Run a program with `import torch` bound to Backscope's engine; exit status 1 after an error."
    run.add_argument(
        "--trace", metavar="OUT", type=Path, help="record the run as a .backscope file; also right behind FILE"
    )
    run.add_argument("--seed", type=int, default=0, help="seed of every random generator (default 0)")
    run.add_argument("file", metavar="FILE", help="the program")
    run.add_argument(
        "arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="what the program finds in sys.argv"
    )

    opening = commands.add_parser("open", parents=[listening], help="show a recorded run")
    opening.description = "Start the server with a recorded run and open it."
    opening.add_argument("trace", metavar="TRACE", type=Path, help="a .backscope file")
    return top


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    top = parser()
    arguments = top.parse_args(argv)
    if arguments.command is None:
        top.print_help()
        return 2
    try:
        if arguments.command == "run":
            from backscope_server import local

            given, trace_to = arguments.arguments, arguments.trace
            if trace_to is None and given[:1] == ["--trace"] and len(given) > 1:
                given, trace_to = given[2:], Path(given[1])
            return local.run(arguments.file, arguments=given, seed=arguments.seed, trace_to=trace_to)
        return _serve(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has gone; Python's own flush at exit is not to complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _serve(arguments: argparse.Namespace) -> int:
    from backscope_server.sandbox.launcher import why_not_here

    if (reason := why_not_here()) is not None:
        print(reason, file=sys.stderr)
        return 1
    from backscope import trace
    from backscope_server.app import create_app, open_trace
    from backscope_server.serve import serve
    from backscope_server.session.admission import NotATrace
    from backscope_server.settings import Settings

    given = {name: getattr(arguments, name) for name in ("host", "port") if getattr(arguments, name) is not None}
    try:
        settings = Settings(**given)
    except ValidationError as error:
        for found in error.errors():
            name = str(found["loc"][0])
            where = f"--{name}" if name in given else f"BACKSCOPE_{name.upper()}"
            print(f"{where}: {found['msg'].removeprefix('Value error, ')}", file=sys.stderr)
        return 2
    app = create_app(settings)
    at = ""
    if arguments.command == "open":
        try:
            at = f"?session={open_trace(app, arguments.trace).id}"
        except (NotATrace, trace.TraceError) as error:
            print(f"backscope: {arguments.trace}: {error}", file=sys.stderr)
            return 1
        except OSError as error:
            print(f"backscope: cannot read {arguments.trace}: {error.strerror or error}", file=sys.stderr)
            return 1
    return serve(app, settings, browser=not arguments.no_browser, at=at)
