"""Makes the last two events of a run that the server or a signal ended: the error, and the end of the program."""

from __future__ import annotations

import re
import signal

import msgspec

from backscope.diagnosis.why.answer import amount
from backscope.protocol import events
from backscope_server.sandbox.child import EXIT_ENGINE, EXIT_LOCKDOWN, EXIT_MEMORY
from backscope_server.sandbox.launcher import Child
from backscope_server.sandbox.limits import Limits


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """`status` of the run; `type` and `message` of its error, None for a run that the user stopped.

    `layer` is what kept the program within its bounds: "server", "rlimits", "seccomp" or "kernel"; None where it had
    not left them.
    """

    status: str
    type: str | None = None
    message: str = ""
    layer: str | None = None


_KILLED, _OUT_OF_TIME = 9, getattr(signal, "SIGXCPU", 24)
_FORBIDDEN = getattr(signal, "SIGSYS", 31)
"""The signal with which the kernel ends a process that makes a hostile system call."""

STOPPED = Ending(status="stopped")


def _limit(kind: str, message: str, layer: str | None = None) -> Ending:
    return Ending(status="limit", type=kind, message=message, layer=layer)


def unwatched(seconds: float) -> Ending:
    """Return the ending of a run that no page watched for so long."""
    return _limit(
        "TimeLimitExceeded",
        f"No page watched this program for {seconds:g} s, so it was stopped. Run it again.",
        layer="server",
    )


def left_paused(seconds: float) -> Ending:
    """Return the ending of a paused run that got no command for so long."""
    return _limit(
        "TimeLimitExceeded",
        f"The program was paused for {seconds:g} s without a command and was stopped. Run it again.",
        layer="server",
    )


def kept_place(seconds: float) -> Ending:
    """Return the ending of a run that has taken its time in all, pauses included."""
    return _limit(
        "TimeLimitExceeded",
        f"The program has taken {seconds:g} s, pauses included, and was stopped, so that others get their turn. "
        "Run it again.",
        layer="server",
    )


def gave_place() -> Ending:
    """Return the ending of a paused run whose place was needed for another."""
    return _limit(
        "TimeLimitExceeded",
        "The program was stopped because it was paused while other programs waited to be started. Everything up to "
        "here is kept; run it again to go on.",
        layer="server",
    )


def wall_time(limits: Limits) -> Ending:
    """Return the ending of a run that took too long."""
    return _limit(
        "TimeLimitExceeded",
        f"The program was still running after {limits.wall_seconds:g} s and was stopped. "
        "Look for a loop that does not end, or run fewer steps.",
        layer="server",
    )


def cpu_time(limits: Limits) -> Ending:
    """Return the ending of a run that used too much processor time."""
    return _limit(
        "TimeLimitExceeded",
        f"The program used {limits.cpu_seconds} s of processor time and was stopped. "
        "Look for a loop that does not end, or run fewer steps.",
        layer="rlimits",
    )


def output(limits: Limits) -> Ending:
    """Return the ending of a run that printed too much."""
    return _limit(
        "OutputLimitExceeded",
        f"The program printed more than {amount(limits.output_bytes)} and was stopped. Print less, or less often.",
        layer="server",
    )


def too_many_events(limits: Limits) -> Ending:
    """Return the ending of a run that recorded too many events."""
    return _limit(
        "EventLimitExceeded",
        f"The program recorded more than {limits.events:,} events and was stopped. Run fewer steps.",
        layer="server",
    )


def log_full(limits: Limits) -> Ending:
    """Return the ending of a run that recorded too many bytes."""
    return _limit(
        "EventLimitExceeded",
        f"The program recorded more than {amount(limits.log_bytes)} of events and was stopped. "
        "Run fewer steps, or use smaller tensors.",
        layer="server",
    )


def no_memory() -> Ending:
    """Return the ending of a run whose address had the most events when memory was full."""
    return _limit(
        "EventLimitExceeded",
        "The server has no memory left for the events of programs, and those of your network address take the most of "
        "it, so this program was stopped. Run fewer steps, or run fewer programs at once.",
        layer="server",
    )


def event_too_long(limits: Limits) -> Ending:
    """Return the ending of a run with an event that is too long."""
    return _limit(
        "EventLimitExceeded",
        f"A single event of the program was longer than {amount(limits.event_bytes)} and the program was stopped. "
        "Print less at once, or use fewer parameters.",
        layer="server",
    )


def broken_stream(reason: str) -> Ending:
    """Return the ending of a run that sent bytes on its event pipe that the engine does not write."""
    return _limit(
        "EventStreamBroken",
        f"The program was stopped because it disturbed Backscope's own event stream ({reason}). "
        "Remove code that writes to file descriptors that it did not open.",
        layer="server",
    )


def server_stopped() -> Ending:
    """Return the ending of a run on a server that stops."""
    return _limit(
        "ServerStopped", "The server was stopped while this program ran. Start the server, then run the program again."
    )


def lost() -> Ending:
    """Return the ending of a run of which the store has nothing any more."""
    return _limit(
        "ServerStopped",
        "The server's store has lost this run: it was restarted without its data, or the run was removed. "
        "Run it again.",
    )


def worker_lost() -> Ending:
    """Return the ending of a run for one question, whose machine was lost."""
    return _limit("ServerStopped", "The machine that ran this program was lost. Ask again.")


def workers_lost(many: int) -> Ending:
    """Return the ending of a run whose machine was lost so many times."""
    return _limit(
        "ServerStopped",
        f"The machine that ran this program was lost, {many} times one after the other, so it is not run again.",
    )


def not_repeated(difference: str) -> Ending:
    """Return the ending of a run that did something else on another machine."""
    return _limit(
        "NotDeterministic",
        "The machine that ran this program was lost, and on another one it could not be brought back to this place. "
        f"{difference}",
    )


def no_sandbox(reason: str) -> Ending:
    """Return the ending of a run that could not be started."""
    return _limit("ProgramDied", f"The program could not be run: {reason.removesuffix('.')}. Run it again.")


def server_failed() -> Ending:
    """Return the ending of a run that an error of the server itself ended."""
    return _limit(
        "ProgramDied", "The server failed while it ran the program; its log says why. Run it again, or report it."
    )


def _last_line(diagnostics: str) -> str:
    """Return the last line of a process's diagnostics, printable characters only; the program may have written it."""
    lines = diagnostics.strip().splitlines()
    shown = "".join(character for character in lines[-1] if character.isprintable()) if lines else ""
    return shown.strip()[:500].rstrip(".") or "no reason given"


def exit_code(status: int) -> int:
    """Return the exit status in the status of wait(2), or minus the signal; works on systems without wait(2) too."""
    return -(status & 0x7F) or status >> 8


def of_exit(child: Child, limits: Limits, diagnostics: str, *, begun: bool = True) -> Ending:
    """Return why a process ended without finishing its program; `begun` says whether the program has run.

    A program can exit with any status and write anything, so a failed lock-down is reported only if it has not begun.
    """
    if child.exit is None:
        return _limit(
            "ProgramDied",
            f"The program was lost: {child.lost or 'its process is gone'}. Run it again; nothing is wrong with it.",
        )
    code = exit_code(child.exit.status)
    if code == -_OUT_OF_TIME or (code == -_KILLED and child.exit.cpu_seconds >= limits.cpu_seconds):
        return cpu_time(limits)
    if code in (EXIT_MEMORY, -_KILLED):
        return _limit(
            "MemoryLimitExceeded",
            f"The program ran out of memory; it may use {amount(limits.memory_bytes)}. "
            "Use smaller tensors, or keep fewer of them."
            if code == EXIT_MEMORY
            else "The system killed the program, most likely because the machine ran out of memory. "
            "Use smaller tensors, or keep fewer of them.",
            layer="rlimits" if code == EXIT_MEMORY else "kernel",
        )
    said = _last_line(diagnostics)
    if code == EXIT_LOCKDOWN and not begun:
        return _limit("ProgramDied", f"The sandbox for the program could not be set up, so nothing was run: {said}.")
    if code == EXIT_ENGINE:
        return _limit("ProgramDied", f"Backscope's engine failed while it ran the program ({said}). Please report it.")
    if code == -_FORBIDDEN:
        return _limit(
            "ProgramDied",
            "The program was stopped because it made a system call that programs may not make here, such as "
            "executing another program or reading another process. Remove that call.",
            layer="seccomp",
        )
    if code < 0:
        name = signal.strsignal(-code) or f"signal {-code}"
        return _limit(
            "ProgramDied",
            f"The program crashed in native code ({name}). Very deep recursion, ctypes and damaged memory do this.",
        )
    return _limit(
        "ProgramDied",
        f"The program ended its own process (exit status {code}) before it was finished. "
        "Remove os._exit, or use sys.exit to end early.",
    )


def crash_line(diagnostics: str, filename: str) -> int | None:
    """Return the innermost line of the user's program in a stack that the interpreter wrote when it crashed.

    The program may have written the stack itself, so the line need not exist.
    """
    found = re.search(rf'^  File "{re.escape(filename)}", line (\d{{1,9}}) in ', diagnostics, re.MULTILINE)
    return int(found[1]) if found else None


def closing_events(ending: Ending, seq: int, line: int | None) -> list[bytes]:
    """Return the last events of a log, from `seq` on."""
    closing: list[events.Event] = []
    if ending.type is not None:
        closing.append(
            events.ErrorRaised(
                seq=seq,
                line=line,
                stage="limit",
                type=ending.type,
                message=ending.message,
                column=None,
                traceback=[],
                node=None,
                diagnosis=None,
            )
        )
    closing.append(events.ProgramFinished(seq=seq + len(closing), line=None, status=ending.status))
    return [events.encode(event) for event in closing]


def cut_off(seq: int) -> bytes:
    """Return the last event, with seq `seq`, for a log that lost its end."""
    return events.encode(events.ProgramFinished(seq=seq, line=None, status="cut"))
