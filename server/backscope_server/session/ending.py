"""How a run that does not end by itself ends: the error in plain words, and the last two events of its log."""

from __future__ import annotations

import os
import re
import signal

import msgspec

from backscope import events
from backscope_server.sandbox.child import EXIT_ENGINE, EXIT_LOCKDOWN, EXIT_MEMORY
from backscope_server.sandbox.launcher import Child
from backscope_server.sandbox.limits import Limits


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """`status` of the run; `type` and `message` of its error, None for a run that the user stopped."""

    status: str
    type: str | None = None
    message: str = ""


STOPPED = Ending(status="stopped")


def amount(nbytes: int) -> str:
    """A number of bytes as people say it: 512 bytes, 10 MB, 2.5 GB."""
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{nbytes} bytes"


def _limit(kind: str, message: str) -> Ending:
    return Ending(status="limit", type=kind, message=message)


def unwatched(seconds: float) -> Ending:
    """Nobody watched the run for so long."""
    return _limit(
        "TimeLimitExceeded", f"No page watched this program for {seconds:g} s, so it was stopped. Run it again."
    )


def wall_time(limits: Limits) -> Ending:
    """The run took too long."""
    return _limit(
        "TimeLimitExceeded",
        f"The program was still running after {limits.wall_seconds:g} s and was stopped. "
        "Look for a loop that does not end, or run fewer steps.",
    )


def cpu_time(limits: Limits) -> Ending:
    """The run computed too long."""
    return _limit(
        "TimeLimitExceeded",
        f"The program used {limits.cpu_seconds} s of processor time and was stopped. "
        "Look for a loop that does not end, or run fewer steps.",
    )


def output(limits: Limits) -> Ending:
    """The run printed too much."""
    return _limit(
        "OutputLimitExceeded",
        f"The program printed more than {amount(limits.output_bytes)} and was stopped. Print less, or less often.",
    )


def too_many_events(limits: Limits) -> Ending:
    """The run recorded too many events."""
    return _limit(
        "EventLimitExceeded",
        f"The program recorded more than {limits.events:,} events and was stopped. Run fewer steps.",
    )


def log_full(limits: Limits) -> Ending:
    """The run recorded too many bytes."""
    return _limit(
        "EventLimitExceeded",
        f"The program recorded more than {amount(limits.log_bytes)} of events and was stopped. "
        "Run fewer steps, or use smaller tensors.",
    )


def event_too_long(limits: Limits) -> Ending:
    """A single event was too long."""
    return _limit(
        "EventLimitExceeded",
        f"A single event of the program was longer than {amount(limits.event_bytes)} and the program was stopped. "
        "Print less at once, or use fewer parameters.",
    )


def broken_stream(reason: str) -> Ending:
    """What came through the event pipe is not from the engine."""
    return _limit(
        "EventStreamBroken",
        f"The program was stopped because it disturbed Backscope's own event stream ({reason}). "
        "Remove code that writes to file descriptors that it did not open.",
    )


def no_sandbox(reason: str) -> Ending:
    """The program could not be started at all."""
    return _limit("ProgramDied", f"The program could not be run: {reason.removesuffix('.')}. Run it again.")


def server_failed() -> Ending:
    """The server itself made a mistake."""
    return _limit(
        "ProgramDied", "The server failed while it ran the program; its log says why. Run it again, or report it."
    )


def of_exit(child: Child, limits: Limits, diagnostics: str) -> Ending:
    """What a process that is gone without having finished its program died of."""
    if child.exit is None:
        return _limit(
            "ProgramDied",
            f"The program was lost: {child.lost or 'its process is gone'}. Run it again; nothing is wrong with it.",
        )
    code = os.waitstatus_to_exitcode(child.exit.status)
    if code == -signal.SIGXCPU or (code == -signal.SIGKILL and child.exit.cpu_seconds >= limits.cpu_seconds):
        return cpu_time(limits)
    if code == EXIT_MEMORY or code == -signal.SIGKILL:
        return _limit(
            "MemoryLimitExceeded",
            f"The program ran out of memory; it may use {amount(limits.memory_bytes)}. "
            "Use smaller tensors, or keep fewer of them."
            if code == EXIT_MEMORY
            else "The system killed the program, most likely because the machine ran out of memory. "
            "Use smaller tensors, or keep fewer of them.",
        )
    said = diagnostics.strip().splitlines()[-1][:500] if diagnostics.strip() else "no reason given"
    if code == EXIT_LOCKDOWN:
        return _limit("ProgramDied", f"The sandbox for the program could not be set up, so nothing was run: {said}")
    if code == EXIT_ENGINE:
        return _limit("ProgramDied", f"Backscope's engine failed while it ran the program ({said}). Please report it.")
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
    """The innermost line of the user's program in a stack that the interpreter wrote while dying, if there is one."""
    found = re.search(rf'^  File "{re.escape(filename)}", line (\d{{1,9}}) in ', diagnostics, re.MULTILINE)
    return int(found[1]) if found else None


def closing_events(ending: Ending, seq: int, line: int | None) -> list[bytes]:
    """The last events of a log, from `seq` on."""
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
