"""The command `backscope`: serve, sandbox, run, debug, open, export."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pydantic import ValidationError

from backscope_server import __version__
from backscope_server.command.parser import Parser

EXIT_STATUSES = {
    "0": "done: the program ended without an error or was left, the server was stopped by Ctrl-C",
    "1": "failed: an error ended the program, a file or a port cannot be had, the sandbox is not complete, or nobody "
    "reads the output any more",
    "2": "not begun: an unknown command or flag, a wrong setting, a program that cannot be read",
    "130": "ended by Ctrl-C",
    "143": "ended by SIGTERM, a server once it has closed its runs",
    "other": "what the program gave to sys.exit()",
}
"""The meaning of each exit status."""


def _arguments(command: argparse.ArgumentParser) -> None:
    """Have a command take what comes after FILE for the program's own."""
    rest = command.add_argument(
        "arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="what the program finds in sys.argv"
    )
    rest.required = False  # Or it would be named as missing where FILE is.


def _seed(text: str) -> int:
    """A seed as a recording can hold it.

    Raises: argparse.ArgumentTypeError.
    """
    try:
        seed = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if not -(2**63) <= seed < 2**63:
        raise argparse.ArgumentTypeError(f"{text} does not fit 64 bits: give a number from -2^63 to 2^63 - 1")
    return seed


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    from backscope_server.settings import Settings

    default = Settings.model_fields
    statuses = "; ".join(f"{status}: {meaning}" for status, meaning in EXIT_STATUSES.items())
    top = Parser(
        prog="backscope",
        description="See what PyTorch's backward() does, step by step.",
        epilog=f"Exit status. {statuses}.",
    )
    top.add_argument("--version", action="version", version=f"backscope {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    listening = Parser(add_help=False)
    listening.add_argument(
        "--port",
        metavar="N",
        type=int,
        help=f"port to listen on (default {default['port'].default}); 0 takes any that is free",
    )
    listening.add_argument(
        "--host",
        metavar="H",
        help=f"address to listen on, loopback only unless public (default {default['host'].default})",
    )
    listening.add_argument("--no-browser", action="store_true", help="do not open a browser")

    serve = commands.add_parser("serve", parents=[listening], help="start the server and open its page")
    serve.description = (
        "Start the server and open its page. Limits are set by environment variables: see server/README.md."
    )
    serve.add_argument(
        "--public",
        action="store_const",
        const=True,
        help="serve strangers: narrow limits, any address; refused where the sandbox is not complete",
    )

    sandbox = commands.add_parser("sandbox", help="show which layers around programs stand on this system")
    sandbox.description = (
        "Try what each layer of the sandbox has to stop, and show the layers; exit status 1 where they are not enough "
        "for `backscope serve --public`."
    )

    run = commands.add_parser("run", help="run a program in the terminal, as python does")
    run.description = "Run a program with `import torch` bound to Backscope's engine; exit status 1 after an error."
    run.add_argument(
        "--trace", metavar="OUT", type=Path, help="record the run as a .backscope file; also right behind FILE"
    )
    run.add_argument("--seed", metavar="N", type=_seed, default=0, help="seed of every random generator (default 0)")
    run.add_argument("file", metavar="FILE", help="the program")
    _arguments(run)

    debug = commands.add_parser("debug", help="debug a program in the terminal: stop inside backward(), look, go back")
    debug.description = (
        "Run a program under the debugger, which stops before its first line and reads commands: `help` lists them. "
        "Exit status: the program's, 0 when it was left before its end."
    )
    debug.add_argument("--seed", metavar="N", type=_seed, default=0, help="seed of every random generator (default 0)")
    debug.add_argument(
        "--commands",
        metavar="COMMANDS",
        type=Path,
        help="a file of commands to carry out first, one a line; also right behind FILE",
    )
    debug.add_argument("file", metavar="FILE", help="the program")
    _arguments(debug)

    opening = commands.add_parser("open", parents=[listening], help="show a recorded run")
    opening.description = "Start the server with a recorded run and open it."
    opening.add_argument("trace", metavar="TRACE", type=Path, help="a .backscope file")

    export = commands.add_parser("export", help="make one web page of a recorded run, which needs no server")
    export.description = (
        "Put a recorded run and the page that plays it into one HTML file, which opens from a disk or a mail, without "
        "a server and a network. It cannot run the program again, nor show more values than were recorded."
    )
    export.add_argument("trace", metavar="TRACE", type=Path, help="a .backscope file")
    export.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="the file to write (default: TRACE with .html for its ending)"
    )
    export.add_argument(
        "--step",
        metavar="N",
        type=int,
        help="the step to open at, 1 for the first (default: before the first backward pass)",
    )
    export.add_argument("--name", metavar="NAME", help="what the page calls the run (default: the name of TRACE)")
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
            from backscope_server.terminal import local

            given, trace_to = _behind_file("--trace", arguments.arguments, arguments.trace)
            return local.run(arguments.file, arguments=given, seed=arguments.seed, trace_to=trace_to)
        if arguments.command == "debug":
            if (reason := why_no_debugger()) is not None:
                print(reason, file=sys.stderr)
                return 1
            from backscope_server.terminal.repl import debug

            given, commands_from = _behind_file("--commands", arguments.arguments, arguments.commands)
            return debug(arguments.file, arguments=given, seed=arguments.seed, commands_from=commands_from)
        if arguments.command == "export":
            from backscope_server.command import single

            name, step = arguments.name, arguments.step
            return single.export(arguments.trace, arguments.output, name=name, step=step)
        return _serve(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from backscope_server.terminal.screen import discard_output

        discard_output()  # The reader of the output has gone.
        return 1


def _behind_file(option: str, given: list[str], before: Path | None) -> tuple[list[str], Path | None]:
    """Return the program's arguments, and the path of an option that is before FILE or right behind it."""
    if before is None and given:
        name, equals, path = given[0].partition("=")
        if name == option and equals:
            return given[1:], Path(path)
        if given[0] == option and len(given) > 1:
            return given[2:], Path(given[1])
    return given, before


def why_no_debugger() -> str | None:
    """Return why programs cannot be debugged in a terminal of this system, None where they can."""
    if hasattr(os, "fork"):
        return None
    return "`backscope debug` does not run on Windows itself: use it in WSL or in a container."


def _serve(arguments: argparse.Namespace) -> int:
    from backscope.protocol import trace
    from backscope_server.api.app import create_app, open_trace
    from backscope_server.command import survey
    from backscope_server.command.serve import serve
    from backscope_server.session.admission import NotATrace
    from backscope_server.settings import Settings

    named = ("public", "host", "port")
    given = {name: value for name in named if (value := getattr(arguments, name, None)) is not None}
    try:
        settings = Settings(**given)
    except ValidationError as error:
        for found in error.errors():
            name = str(found["loc"][0])
            where = f"--{name}" if name in given else f"BACKSCOPE_{name.upper()}"
            print(f"{where}: {found['msg'].removeprefix('Value error, ')}", file=sys.stderr)
        return 2
    if arguments.command == "sandbox":
        return survey.report(settings)
    if settings.public and (reason := survey.why_not_public(settings)) is not None:
        print(reason, file=sys.stderr)
        return 1
    app = create_app(settings)
    session = None
    if arguments.command == "open":
        try:
            session = open_trace(app, arguments.trace).id
        except (NotATrace, trace.TraceError) as error:
            print(f"backscope: {arguments.trace}: {error}", file=sys.stderr)
            return 1
        except OSError as error:
            print(f"backscope: cannot read {arguments.trace}: {error.strerror or error}", file=sys.stderr)
            return 1
    return serve(app, settings, browser=not arguments.no_browser, session=session)
