"""Every command of `backscope`, its arguments and its flags, and the meaning of each exit status."""

from __future__ import annotations

import argparse
from pathlib import Path

from backscope_server import __version__
from backscope_server.command.parser import Parser

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


HOST, PORT = "127.0.0.1", 8000
"""What the settings of these names are by default; a plain install has the command line without the settings."""


def _arguments(command: argparse.ArgumentParser) -> None:
    """Have a command collect the arguments after FILE for the program."""
    rest = command.add_argument(
        "arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="arguments of the program, its sys.argv[1:]"
    )
    rest.required = False  # Otherwise a missing FILE is reported as a missing ARGUMENT, too.


def _public(command: argparse.ArgumentParser) -> None:
    """Give a command the flag of servers for anyone."""
    command.add_argument(
        "--public",
        action="store_const",
        const=True,
        help="serve anyone: narrow limits, any address; refused if the sandbox is not complete",
    )


def _pictures(export: argparse.ArgumentParser) -> None:
    """Give a command the flags of pictures and films."""
    kinds = export.add_mutually_exclusive_group()
    for kind, what in _PICTURES.items():
        kinds.add_argument(f"--{kind}", dest="picture", action="store_const", const=kind, help=what)
    export.add_argument(
        "--range", metavar="STEPS", type=_range, help="the steps of a film, the first and the last, as 3-9; at most 300"
    )
    export.add_argument(
        "--theme",
        metavar="THEME",
        choices=("light", "dark"),
        default="light",
        help="colours of a picture: light or dark (default light)",
    )
    export.add_argument(
        "--width",
        metavar="PIXELS",
        type=_width,
        help="width of a picture (default: of its graph, a PNG twice as wide, a film 720)",
    )
    export.add_argument(
        "--speed",
        metavar="SPEED",
        choices=("reading", "normal", "fast"),
        default="normal",
        help="how long a film shows each step: reading, normal or fast (default normal)",
    )
    export.add_argument("--no-caption", action="store_true", help="leave the sentence of the step out of a picture")


_PICTURES = {
    "svg": "draw a step as vectors and texts, with the fonts",
    "png": "draw a step in pixels",
    "gif": "draw a film of --range as GIF",
    "webm": "draw a film of --range as WebM",
}


def _range(text: str) -> tuple[int, int]:
    """Parse a range of steps, as 3-9.

    Raises: argparse.ArgumentTypeError.
    """
    first, dash, last = text.partition("-")
    if not (dash and first.isdecimal() and last.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no range of steps, as 3-9")
    return int(first), int(last)


def _width(text: str) -> int:
    """Parse the width of a picture, which browsers and encoders can hold.

    Raises: argparse.ArgumentTypeError.
    """
    if not (text.isdecimal() and 16 <= int(text) <= 8192):
        raise argparse.ArgumentTypeError(f"{text!r} is no width from 16 to 8192 pixels")
    return int(text)


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
    statuses = "\n".join(f"  {status:5}  {meaning}" for status, meaning in EXIT_STATUSES.items())
    top = Parser(
        prog="backscope",
        description="See what PyTorch's backward() does, step by step.",
        epilog=f"exit status:\n{statuses}",
    )
    top.add_argument("--version", action="version", version=f"backscope {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    address = Parser(add_help=False)
    address.add_argument(
        "--port",
        metavar="N",
        type=int,
        help=f"port to listen on (default {PORT}); 0 for any free port",
    )
    address.add_argument(
        "--host",
        metavar="H",
        help=f"address to listen on, loopback only unless public (default {HOST})",
    )
    listening = Parser(add_help=False, parents=[address])
    listening.add_argument("--no-browser", action="store_true", help="do not open a browser")

    serve = commands.add_parser("serve", parents=[listening], help="start the server and open its page")
    serve.description = (
        "Start the server and open its page. The limits of programs are set by environment variables, which "
        "server/backscope_server/operations/README.md lists."
    )
    _public(serve)
    serve.add_argument(
        "--fleet",
        metavar="ADDRESS",
        help="be a gateway of a fleet, whose Redis is at this address: programs run on its workers",
    )

    worker = commands.add_parser("worker", parents=[address], help="run the programs of a fleet")
    worker.description = (
        "Take programs from the queue of a fleet and run them in the sandbox. Nothing is served but /api/health. When "
        "it is stopped, other workers take its runs over."
    )
    _public(worker)
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
    debug.add_argument(
        "--listen",
        metavar="PORT",
        type=int,
        help="run the program at once, and let editors attach to it on a port of this machine, 0 for any",
    )
    debug.add_argument("file", metavar="FILE", help="the program")
    _arguments(debug)

    dap = commands.add_parser("dap", help="debug programs in an editor, by the Debug Adapter Protocol")
    dap.description = (
        "Serve one editor, such as VS Code, Neovim or PyCharm, which launches the program with the arguments program, "
        'args, cwd, env, seed, stopOnEntry, page and engine ("backscope" or "torch").'
    )
    dap.add_argument(
        "--port", metavar="PORT", type=int, help="a port of this machine, 0 for any (default: standard streams)"
    )

    opening = commands.add_parser("open", parents=[listening], help="show a recorded run")
    opening.description = "Start the server and open a recorded run in its page."
    opening.add_argument("trace", metavar="TRACE", type=Path, help="a .backscope file")

    export = commands.add_parser(
        "export", help="save a recorded run as one HTML file that needs no server, or a picture"
    )
    export.description = (
        "Write a recorded run and the page that plays it into one HTML file, which opens without a server or a "
        "network. It cannot run the program again, nor show values that were not recorded. Or draw a step, or a film "
        "of some steps, as the page does; that needs the extra backscope[pictures], an SVG Node alone."
    )
    export.add_argument("trace", metavar="TRACE", type=Path, help="a .backscope file")
    export.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        help="the file to write, a picture where it ends in .svg, .png, .gif or .webm "
        "(default: TRACE with the ending .html, or that of the picture)",
    )
    export.add_argument(
        "--step",
        metavar="N",
        type=int,
        help="the step to open at or to draw, counted from 1 (default: before the first backward pass)",
    )
    export.add_argument("--name", metavar="NAME", help="title of the run in the page (default: the name of TRACE)")
    _pictures(export)

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
