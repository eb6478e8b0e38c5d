"""The command `backscope`: serve, worker, sandbox, run, trace, debug, dap, open, export, lesson."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from backscope_server import __version__
from backscope_server.command.parser import Parser

if TYPE_CHECKING:
    from backscope_server.settings import Settings

EXIT_STATUSES = {
    "0": "success: the program ended without an error, or you left the debugger before its end, or stopped the server "
    "with Ctrl-C",
    "1": "failure: an error ended the program, a file or a port cannot be used, the sandbox is not complete, a lesson "
    "does not hold, or the output cannot be written",
    "2": "not started: an unknown command or flag, an invalid setting, a program, lesson or file of commands that "
    "cannot be read, PyTorch where it is needed and missing, a recording that cannot be written",
    "130": "ended by Ctrl-C",
    "143": "ended by SIGTERM; a server ends its runs first",
    "other": "the value that the program passed to sys.exit(), or 128 and the number of the signal that ended it",
}
"""The meaning of each exit status."""


NO_SOURCE = (
    "leave the text of the program's files out of the recording; names, and code that the explanation of an error "
    "quotes, stay"
)
"""The help of the flag."""


def _arguments(command: argparse.ArgumentParser) -> None:
    """Have a command collect the arguments after FILE for the program."""
    rest = command.add_argument(
        "arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="arguments of the program, its sys.argv[1:]"
    )
    rest.required = False  # Otherwise a missing FILE is reported as a missing ARGUMENT, too.


def _seed(text: str) -> int:
    """Parse a seed, a 64-bit integer, as recordings have it.

    Raises: argparse.ArgumentTypeError.
    """
    try:
        seed = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if not -(2**63) <= seed < 2**63:
        raise argparse.ArgumentTypeError(f"{text} does not fit 64 bits: give a number from -2^63 to 2^63 - 1")
    return seed


def _bytes(text: str) -> int:
    """Parse a number of bytes.

    Raises: argparse.ArgumentTypeError.
    """
    try:
        found = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of bytes") from None
    if found < 1:
        raise argparse.ArgumentTypeError(f"{text}: a recording has to have room for at least 1 byte")
    return found


def _steps(text: str) -> tuple[int, int]:
    """Parse the first and the last step of a range.

    Raises: argparse.ArgumentTypeError.
    """
    first, _, last = text.partition(":")
    try:
        found = int(first), int(last or first)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor two with a colon between") from None
    if not 1 <= found[0] <= found[1]:
        raise argparse.ArgumentTypeError(f"{text}: steps are counted from 1, and the last comes after the first")
    return found


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    from backscope_server.settings import Settings

    default = Settings.model_fields
    statuses = "\n".join(f"  {status:5}  {meaning}" for status, meaning in EXIT_STATUSES.items())
    top = Parser(
        prog="backscope",
        description="See what PyTorch's backward() does, step by step.",
        epilog=f"exit status:\n{statuses}",
    )
    top.add_argument("--version", action="version", version=f"backscope {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    listening = Parser(add_help=False)
    listening.add_argument(
        "--port",
        metavar="N",
        type=int,
        help=f"port to listen on (default {default['port'].default}); 0 for any free port",
    )
    listening.add_argument(
        "--host",
        metavar="H",
        help=f"address to listen on, loopback only unless public (default {default['host'].default})",
    )
    listening.add_argument("--no-browser", action="store_true", help="do not open a browser")

    serve = commands.add_parser("serve", parents=[listening], help="start the server and open its page")
    serve.description = (
        "Start the server and open its page. The limits of programs are set by environment variables, which "
        "server/README.md lists."
    )
    serve.add_argument(
        "--public",
        action="store_const",
        const=True,
        help="serve anyone: narrow limits, any address; refused if the sandbox is not complete",
    )

    serve.add_argument(
        "--fleet",
        metavar="ADDRESS",
        help="be a gateway of a fleet, whose Redis is at this address: programs run on its workers",
    )

    worker = commands.add_parser("worker", help="run the programs of a fleet")
    worker.description = (
        "Take programs from the queue of a fleet and run them in the sandbox. Nothing is served but /api/health. When "
        "it is stopped, other workers take its runs over."
    )
    worker.add_argument(
        "--port",
        metavar="N",
        type=int,
        help=f"port to listen on (default {default['port'].default}); 0 for any free port",
    )
    worker.add_argument(
        "--host",
        metavar="H",
        help=f"address to listen on, loopback only unless public (default {default['host'].default})",
    )
    worker.add_argument(
        "--public",
        action="store_const",
        const=True,
        help="serve anyone: narrow limits, any address; refused if the sandbox is not complete",
    )
    worker.add_argument("fleet", metavar="ADDRESS", nargs="?", help="the fleet's Redis (default: BACKSCOPE_FLEET)")

    sandbox = commands.add_parser("sandbox", help="show which layers of the sandbox work on this system")
    sandbox.description = (
        "Test each layer of the sandbox on this system and print the results. The exit status is 1 if they do not "
        "suffice for `backscope serve --public`."
    )

    run = commands.add_parser("run", help="run a program in the terminal, as python does")
    run.description = "Run a program with `import torch` bound to Backscope's engine; exit status 1 after an error."
    run.add_argument(
        "--trace", metavar="OUT", type=Path, help="record the run as a .backscope file; also accepted right after FILE"
    )
    run.add_argument("--no-source", action="store_true", help=NO_SOURCE)
    run.add_argument("--seed", metavar="N", type=_seed, default=0, help="seed of every random generator (default 0)")
    run.add_argument("file", metavar="FILE", help="the program")
    _arguments(run)

    tracing = commands.add_parser("trace", help="run a program on PyTorch itself, unchanged, and record it")
    tracing.description = (
        "Run a program on PyTorch itself, which has to be installed, as python does, and record every step of it. It "
        "computes the same, bit by bit; exit status 1 after an error."
    )
    tracing.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        help="the file to write (default: the name of FILE with the ending .backscope); also accepted right after FILE",
    )
    tracing.add_argument("--no-source", action="store_true", help=NO_SOURCE)
    tracing.add_argument(
        "--values",
        metavar="VALUES",
        choices=("all", "norms", "none"),
        default="all",
        help="what is told of tensors: all, norms (a norm, NaN and infinities counted), or none (default all)",
    )
    tracing.add_argument(
        "--modules",
        metavar="PATHS",
        type=lambda text: text.split(","),
        default=(),
        help="record ops inside of these modules only, such as model.encoder or model.layers.*, with commas between",
    )
    tracing.add_argument(
        "--steps",
        metavar="STEPS",
        type=_steps,
        help="record these steps of the optimizer only, counted from 1: one number, or the first and the last as 10:12",
    )
    tracing.add_argument(
        "--most-bytes",
        metavar="N",
        type=_bytes,
        default=1 << 30,
        help="bytes that the events take at most; what comes after is not recorded (default 1073741824)",
    )
    tracing.add_argument("file", metavar="FILE", help="the program")
    _arguments(tracing)

    debug = commands.add_parser(
        "debug", help="debug a program in the terminal: stop inside backward(), inspect, step back"
    )
    debug.description = (
        "Run a program under the debugger, which stops before its first line and reads commands; `help` lists them. "
        "The exit status is the program's, or 0 if you leave before its end."
    )
    debug.add_argument(
        "--page",
        action="store_true",
        help="attach the page too: a server on a free port of this machine shows the link",
    )
    debug.add_argument("--no-browser", action="store_true", help="do not open a browser")
    debug.add_argument(
        "--torch", action="store_true", help="run the program on PyTorch itself, which has to be installed"
    )
    debug.add_argument("--seed", metavar="N", type=_seed, default=0, help="seed of every random generator (default 0)")
    debug.add_argument(
        "--commands",
        metavar="COMMANDS",
        type=Path,
        help="a file of commands to carry out first, one per line; also accepted right after FILE",
    )
    debug.add_argument("file", metavar="FILE", help="the program")
    _arguments(debug)

    dap = commands.add_parser("dap", help="debug programs in an editor, by the Debug Adapter Protocol")
    dap.description = (
        "Serve one editor, such as VS Code, Neovim or PyCharm, which launches the program with the arguments program, "
        'args, cwd, env, seed, stopOnEntry and engine ("backscope" or "torch").'
    )
    dap.add_argument(
        "--port", metavar="PORT", type=int, help="a port of this machine, 0 for any (default: standard streams)"
    )

    opening = commands.add_parser("open", parents=[listening], help="show a recorded run")
    opening.description = "Start the server and open a recorded run in its page."
    opening.add_argument("trace", metavar="TRACE", type=Path, help="a .backscope file")

    export = commands.add_parser("export", help="save a recorded run as one HTML file that needs no server")
    export.description = (
        "Write a recorded run and the page that plays it into one HTML file, which opens without a server or a "
        "network. It cannot run the program again, nor show values that were not recorded."
    )
    export.add_argument("trace", metavar="TRACE", type=Path, help="a .backscope file")
    export.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="the file to write (default: TRACE with the ending .html)"
    )
    export.add_argument(
        "--step",
        metavar="N",
        type=int,
        help="the step to open at, counted from 1 (default: before the first backward pass)",
    )
    export.add_argument("--name", metavar="NAME", help="title of the run in the page (default: the name of TRACE)")

    lesson = commands.add_parser("lesson", help="check, preview and export lessons, or begin a new one")
    lesson.description = (
        "Check, preview and export lessons, or begin a new one; `backscope lesson format` prints how they are written."
    )
    of_lessons = lesson.add_subparsers(dest="lesson_command", metavar="COMMAND", required=True)
    check = of_lessons.add_parser("check", help="run the programs of lessons and print what does not hold")
    check.description = (
        "Run the programs of lessons in the sandbox and print, with file and line, what does not hold: a moment that "
        "is not there, a program that fails, an answer that cannot be computed, feedback for a wrong answer that is "
        "right, a solution that does not reach its change. The exit status is 1 if there is any."
    )
    check.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=Path,
        help="files or folders (default: Backscope's own lessons)",
    )
    preview = of_lessons.add_parser(
        "preview", parents=[listening], help="show a lesson in the page, again each time it is saved"
    )
    preview.description = (
        "Start a server on this machine and open a lesson in its page. When the file is saved, the page shows it "
        "anew, or what does not hold in it, with file and line."
    )
    preview.add_argument("path", metavar="PATH", type=Path, help="the lesson, or a folder of lessons")
    exported = of_lessons.add_parser("export", help="save a lesson as one HTML file that needs no server")
    exported.description = (
        "Run the programs of a lesson and write it, with their recordings and the page that plays them, into one HTML "
        "file, which opens without a server or a network. Predictions are answered; a changed program cannot be run "
        "in it, and its solution is shown instead. A lesson that does not hold is not written."
    )
    exported.add_argument("path", metavar="PATH", type=Path, help="the lesson")
    exported.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="the file to write (default: PATH with the ending .html)"
    )
    new = of_lessons.add_parser("new", help="write a small lesson to begin with")
    new.description = "Write a small lesson that holds, NAME.md, into the current folder."
    new.add_argument("name", metavar="NAME", help="name of the lesson: letters, digits and _")
    of_lessons.add_parser(
        "format",
        help="print how lessons are written",
        description="Print how lessons are written, as Markdown: their blocks, moments, questions and confusions.",
    )
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
            return local.run(
                arguments.file, arguments=given, seed=arguments.seed, trace_to=trace_to, source=not arguments.no_source
            )
        if arguments.command == "trace":
            from backscope_server.command import tracing

            given, output = _behind_file("--output", arguments.arguments, arguments.output, short="-o")
            options = {name: getattr(arguments, name) for name in ("values", "modules", "steps", "most_bytes")}
            source = not arguments.no_source
            return tracing.run(arguments.file, arguments=given, output=output, source=source, options=options)
        if arguments.command == "debug":
            if (reason := why_no_debugger()) is not None:
                print(reason, file=sys.stderr)
                return 1
            from backscope_server.terminal.repl import debug

            given, commands_from = _behind_file("--commands", arguments.arguments, arguments.commands)
            how: dict[str, Any] = {"seed": arguments.seed, "commands_from": commands_from, "torch": arguments.torch}
            if arguments.page:
                return _debug_in_page(arguments, given, how)
            return debug(arguments.file, arguments=given, **how)
        if arguments.command == "dap":
            if (reason := why_no_debugger()) is not None:
                print(reason, file=sys.stderr)
                return 1
            from backscope_server.command import dap_command

            return dap_command.run(arguments.port)
        if arguments.command == "export":
            from backscope_server.command import single

            name, step = arguments.name, arguments.step
            return single.export(arguments.trace, arguments.output, name=name, step=step)
        if arguments.command == "lesson":
            return _lesson(arguments)
        return _serve(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from backscope_server.terminal.screen import discard_output

        discard_output()  # The reader of the output has gone.
        return 1


def _behind_file(
    option: str, given: list[str], before: Path | None, *, short: str | None = None
) -> tuple[list[str], Path | None]:
    """Return the program's arguments, and the path of an option that was given before FILE or right after it."""
    if before is None and given:
        name, equals, path = given[0].partition("=")
        if name == option and equals:
            return given[1:], Path(path)
        if given[0] in (option, short) and len(given) > 1:
            return given[2:], Path(given[1])
    return given, before


def why_no_debugger() -> str | None:
    """Return why programs cannot be debugged in a terminal of this system, None where they can."""
    if hasattr(os, "fork"):
        return None
    return "`backscope debug` does not run on Windows itself: use it in WSL or in a container."


def _settings(given: dict[str, Any]) -> Settings | None:
    """Return the settings; None, after messages that name them, where some are invalid. Warn of misspelt ones."""
    from backscope_server.settings import Settings, unknown_settings

    for warning in unknown_settings(os.environ):
        print(f"backscope: {warning}", file=sys.stderr)
    try:
        return Settings(**given)
    except ValidationError as error:
        for found in error.errors():
            name = str(found["loc"][0])
            where = f"--{name}" if name in given else f"BACKSCOPE_{name.upper()}"
            print(f"{where}: {found['msg'].removeprefix('Value error, ')}", file=sys.stderr)
        return None


def _lesson(arguments: argparse.Namespace) -> int:
    from backscope_server.command import lesson_commands

    if arguments.lesson_command == "new":
        return lesson_commands.new(arguments.name)
    if arguments.lesson_command == "format":
        return lesson_commands.print_format()
    if arguments.lesson_command == "preview":
        settings = _settings({"public": False, "fleet": "", **_listening(arguments)})
        if settings is None:
            return 2
        return lesson_commands.preview(arguments.path, settings, browser=not arguments.no_browser)
    settings = _settings({})
    if settings is None:
        return 2
    if arguments.lesson_command == "export":
        return lesson_commands.export(arguments.path, arguments.output, settings)
    return lesson_commands.check(arguments.paths, settings)


def _listening(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings for the server that the command line gives."""
    named = ("public", "host", "port", "fleet")
    return {name: value for name in named if (value := getattr(arguments, name, None)) is not None}


def _debug_in_page(arguments: argparse.Namespace, given: list[str], options: dict[str, Any]) -> int:
    from backscope_server.command.debug_page import DebugPage, NoPage
    from backscope_server.terminal.repl import debug

    settings = _settings({"public": False, "host": "127.0.0.1", "port": 0, "fleet": ""})
    if settings is None:
        return 2
    page = DebugPage(
        settings,
        lambda address: print(f"The page is at {address}", flush=True),
        browser=not arguments.no_browser,
        torch=options["torch"],
    )
    try:
        return debug(arguments.file, arguments=given, page=page, **options)
    except NoPage as error:
        print(f"backscope: {error}", file=sys.stderr)
        return 1
    finally:
        page.close()


def _serve(arguments: argparse.Namespace) -> int:
    from backscope.protocol import trace
    from backscope_server.api.app import create_app, open_trace
    from backscope_server.command import survey
    from backscope_server.command.serve import serve
    from backscope_server.session.admission import NotATrace

    own = {"fleet": ""} if arguments.command == "open" else {}
    settings = _settings({**own, **_listening(arguments)})
    if settings is None:
        return 2
    if arguments.command == "sandbox":
        return survey.report(settings)
    if arguments.command == "worker":
        from backscope_server.command.worker import work

        return work(settings)
    if settings.public and not settings.fleet and (reason := survey.why_not_public(settings)) is not None:
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
    fields = {} if session is None else {"session": session}
    return serve(app, settings, browser=not arguments.no_browser, fields=fields)
