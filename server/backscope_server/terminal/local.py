"""`backscope run FILE`: runs a program in this process, without a server and without limits."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import tokenize
from pathlib import Path
from typing import TextIO

from backscope import keep_memory
from backscope.program import runner
from backscope.protocol import events, trace
from backscope.protocol.file_lines import ProgramFiles, line_in_file, name_of
from backscope.protocol.without_source import without_source
from backscope_server.terminal.repeated_frames import group_frames

SHOWN_REPEATS = 3
"""The times that Python prints a repeated frame."""


class Output:
    """Shows the events of a run as Python would: its output, warnings, and an exception as a traceback."""

    def __init__(self, filename: str, keep: bool) -> None:
        self.lines: list[bytes] = []
        self.exit_status: int | None = None
        """The argument of the program's sys.exit, 130 after Ctrl-C, None otherwise."""
        self._filename = filename
        self._files = ProgramFiles()
        self._keep = keep
        self._printed = ""
        # The engine puts its own streams in their place while the program runs.
        self._streams: dict[str, TextIO] = {"stdout": sys.stdout, "stderr": sys.stderr}

    def write(self, batch: bytes) -> None:
        """Show a batch of encoded events."""
        lines = batch.splitlines()
        if self._keep:
            self.lines += lines
        for line in lines:
            self.show(events.decode(line))

    def show(self, event: events.Event) -> None:
        """Show one event, if Python would show it."""
        event = self._files.read(event)
        if isinstance(event, events.OutputPrinted):
            stream = self._streams.get(event.stream, self._streams["stderr"])
            stream.write(event.text)
            stream.flush()
            self._printed = event.text if event.stream == "stderr" else ""
        elif isinstance(event, events.WarningRaised):
            self._write_error(self._warning(event))
        elif isinstance(event, events.ErrorRaised) and event.stage in ("syntax", "program"):
            if event.type == "SystemExit":
                self._exit(event.message)
            else:
                self.exit_status = 130 if event.type == "KeyboardInterrupt" else None
                self._write_error(self._traceback(event))

    def _write_error(self, text: str) -> None:
        """Write to stderr, after what the program has printed."""
        self._streams["stdout"].flush()
        self._streams["stderr"].write(text)
        self._streams["stderr"].flush()

    def _exit(self, code: str) -> None:
        """Set the exit status: sys.exit(3) is 3; sys.exit("text") is 1, and the text has been printed."""
        is_status = re.fullmatch(r"-?\d{1,18}", code) and not self._printed.endswith(f"{code}\n")
        self.exit_status = int(code) & 0xFF if is_status else 1

    def _text(self, line: int | None) -> str:
        return self._files.text(line)

    def _path(self, line: int | None) -> str:
        """Return the path of the file that a line is in, as Python prints it."""
        name = name_of(line, "")
        return os.path.join(os.path.dirname(self._filename), name) if name else self._filename

    def _warning(self, warning: events.WarningRaised) -> str:
        text = self._text(warning.line).strip()
        said = f"{self._path(warning.line)}:{line_in_file(warning.line) or 1}: {warning.category}: {warning.message}\n"
        return said + (f"  {text}\n" if text else "")

    def _traceback(self, error: events.ErrorRaised) -> str:
        last = f"{error.type}: {error.message}\n" if error.message else f"{error.type}\n"
        if error.stage == "syntax":
            text = self._text(error.line)
            shown = [f'  File "{self._filename}", line {error.line}\n']
            if text.strip():
                indent = len(text) - len(text.lstrip())
                shown.append(f"    {text.strip()}\n")
                if error.column is not None:
                    shown.append(" " * (4 + max(error.column - 1 - indent, 0)) + "^\n")
            return "".join(shown) + last
        shown = ["Traceback (most recent call last):\n"]
        frames, left_out = error.traceback, error.frames_left_out
        if left_out:
            shown += [self._entry(frames[0]), f"  [{left_out:,} frame{'s' * (left_out > 1)} left out]\n"]
            frames = frames[1:]
        for at, each, times in group_frames(frames):
            once = SHOWN_REPEATS if len(each) == 1 else 1
            shown += [self._entry(frame) for frame in each] * min(times, once)
            if times > once:
                more = f"{times - once} more time{'s' * (times > once + 1)}"
                more = "many more times" if left_out and at == 0 else more
                what = "Previous line" if len(each) == 1 else f"Previous {len(each)} frames"
                shown.append(f"  [{what} repeated {more}]\n")
        return "".join(shown) + last

    def _entry(self, frame: events.TracebackLine) -> str:
        entry = f'  File "{self._path(frame.line)}", line {line_in_file(frame.line)}, in {frame.function}\n'
        text = (frame.text or self._text(frame.line)).strip()
        return f"{entry}    {text}\n" if text else entry


def rescue(lines: list[bytes]) -> None:
    """Save a recording that cannot be written to its file in the folder for temporary files."""
    try:
        path = Path(tempfile.mkdtemp(prefix="backscope-")) / "run.backscope"
    except OSError:
        return
    try:
        trace.write(path, lines)
    except OSError:
        path.parent.rmdir()
    else:
        print(f"backscope: recorded {len(lines):,} events in {path} instead", file=sys.stderr)


def read_program(file: str) -> str | None:
    """Return the text of a program; None, after a message, if it cannot be read."""
    try:
        with tokenize.open(file) as opened:  # Honours a coding line, as Python does.
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        print(f"backscope: cannot read {file}: {reason}", file=sys.stderr)
        return None


def run(file: str, *, arguments: list[str], seed: int, trace_to: Path | None, source: bool = True) -> int:
    """Run a program and return its exit status: its own, 1 after an error, or 2 if the file cannot be read.

    The recording has the text of the program's files, unless `source` is False.
    """
    program = read_program(file)
    if program is None:
        return 2
    terminal = Output(file, keep=trace_to is not None)
    sys.argv = [file, *arguments]
    sys.path.insert(0, str(Path(file).resolve().parent))
    keep_memory()
    status = runner.run(program, terminal.write, filename=file, seed=seed, folder=sys.path[0])
    if trace_to is not None:
        lines = terminal.lines if source else list(without_source(terminal.lines))
        try:
            trace.write(trace_to, lines)
        except OSError as error:
            print(f"backscope: cannot write {trace_to}: {error.strerror or error}", file=sys.stderr)
            rescue(lines)
            return 2
        print(f"backscope: recorded {len(lines):,} events in {trace_to}", file=sys.stderr)
    if terminal.exit_status is not None:
        return terminal.exit_status
    return 0 if status == "ok" else 1
