"""The command `backscope`: serve, worker, sandbox, run, trace, debug, dap, open, export, lesson."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backscope.runtime.extras import why_missing
from backscope_server.command import export_format
from backscope_server.command.command_line import EXIT_STATUSES as EXIT_STATUSES, parser
from backscope_server.command.progress import Progress

if TYPE_CHECKING:
    from backscope_server.settings import Settings


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    top = parser()
    arguments = top.parse_args(argv)
    if arguments.command is None:
        top.print_help()
        return 2
    if arguments.command == "export":
        try:
            arguments.picture = export_format.picture_of(arguments.picture, arguments.output)
        except export_format.Contradiction as error:
            print(f"backscope: {error}", file=sys.stderr)
            return 1
    if (reason := _why_not_installed(arguments)) is not None:
        print(f"backscope: {reason}", file=sys.stderr)
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
            if arguments.listen is not None:
                from backscope_server.command import dap_command

                torch, seed, page = arguments.torch, arguments.seed, arguments.page
                settings = partial(_settings, _PAGE)
                return dap_command.listen(arguments.listen, arguments.file, given, seed, torch, page, settings)
            if arguments.page:
                return _debug_in_page(arguments, given, how)
            return debug(arguments.file, arguments=given, **how)
        if arguments.command == "dap":
            if (reason := why_no_debugger()) is not None:
                print(reason, file=sys.stderr)
                return 1
            from backscope_server.command import dap_command

            return dap_command.run(arguments.port, lambda: _settings(_PAGE))
        if arguments.command == "export" and arguments.picture is not None:
            from backscope_server.command import picture_file

            return picture_file.export(arguments)
        if arguments.command == "export":
            from backscope_server.command import single

            name, step = arguments.name, arguments.step
            return single.export(arguments.trace, arguments.output, name=name, step=step)
        if arguments.command == "lesson":
            return _lesson(arguments)
        if arguments.command in ("sandbox", "worker"):
            return _run_in_sandbox(arguments)
        return _serve(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from backscope_server.terminal.screen import discard_output

        discard_output()  # The reader of the output has gone.
        return 1


_EXTRAS = {
    "export": "server",
    "lesson": "server",
    "open": "server",
    "sandbox": "server",
    "serve": "server",
    "worker": "fleet",
}
"""The extras that commands need; the others do with the engine."""


def _why_not_installed(arguments: argparse.Namespace) -> str | None:
    """Return a sentence that says which extra of the package a command needs, None where it is installed."""
    command = arguments.command
    extra = _EXTRAS.get(command)
    if command == "export" and arguments.picture is not None:
        extra = None  # Node draws it, and `picture_file` says what else is missing.
    if getattr(arguments, "page", False):
        command, extra = "debug --page", "server"
    if getattr(arguments, "picture", None) is not None:
        return None  # Drawing says by itself what it lacks.
    return None if extra is None else why_missing(f"`backscope {command}`", extra)


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
    if (reason := why_missing("The page", "server")) is not None:  # An editor asks for it while it debugs.
        print(f"backscope: {reason}", file=sys.stderr)
        return None
    from pydantic import ValidationError

    from backscope_server.command.unknown_settings import unknown_settings
    from backscope_server.settings import Settings

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
        with Progress() as progress:
            progress.begin(_STARTING)
            return lesson_commands.preview(
                arguments.path, settings, browser=not arguments.no_browser, when_ready=progress.end
            )
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


_STARTING = "starting the server"
_PAGE: dict[str, Any] = {"public": False, "host": "127.0.0.1", "port": 0, "fleet": ""}
"""The settings of the server that shows a debugged program."""


def _debug_in_page(arguments: argparse.Namespace, given: list[str], options: dict[str, Any]) -> int:
    with Progress() as progress:
        progress.begin("starting the server of the page")
        from backscope_server.command.debug_page import DebugPage
        from backscope_server.terminal.repl import debug
        from backscope_server.terminal.shared_process import NoPage

        settings = _settings(_PAGE)
        if settings is None:
            return 2

        def opened(address: str) -> None:
            progress.end()
            print(f"The page is at {address}", flush=True)

        page = DebugPage(settings, opened, browser=not arguments.no_browser, torch=options["torch"])
        try:
            return debug(arguments.file, arguments=given, page=page, **options)
        except NoPage as error:
            print(f"backscope: {error}", file=sys.stderr)
            return 1
        finally:
            page.close()


def _run_in_sandbox(arguments: argparse.Namespace) -> int:
    settings = _settings(_listening(arguments))
    if settings is None:
        return 2
    if arguments.command == "worker":
        from backscope_server.command.worker import work

        return work(settings)
    from backscope_server.command import survey

    with Progress() as progress:
        progress.begin("testing the layers of the sandbox")
        return survey.report(settings)


def _serve(arguments: argparse.Namespace) -> int:
    with Progress() as progress:
        opened: Path | None = arguments.trace if arguments.command == "open" else None
        progress.begin(_STARTING if opened is None else f"reading {opened}")
        from backscope.protocol import trace
        from backscope_server.api.app import create_app, open_trace
        from backscope_server.command import survey
        from backscope_server.command.serve import serve
        from backscope_server.command.trace_error import print_trace_error
        from backscope_server.session.admission import NotATrace

        own = {} if opened is None else {"fleet": ""}
        settings = _settings({**own, **_listening(arguments)})
        if settings is None:
            return 2
        if settings.public and not settings.fleet and (reason := survey.why_not_public(settings)) is not None:
            print(reason, file=sys.stderr)
            return 1
        app = create_app(settings)
        fields = {}
        if opened is not None:
            try:
                session = open_trace(app, opened)
            except (NotATrace, trace.TraceError, OSError) as error:
                print_trace_error(opened, error)
                return 1
            fields = {"session": session.id}
            progress.begin(f"{_STARTING} for {session.log.last + 1:,} events")
        return serve(app, settings, browser=not arguments.no_browser, fields=fields, when_ready=progress.end)
