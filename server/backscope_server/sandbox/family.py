"""A process and all its descendants, for systems where programs can start processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

import psutil


class Family:
    """`first` leads a process group of its own, where the system has such; psutil knows a process by its start, too."""

    def __init__(self, first: subprocess.Popen[bytes]) -> None:
        self.first = first
        self._members: set[psutil.Process] = set()
        with contextlib.suppress(psutil.Error):
            self._members.add(psutil.Process(first.pid))

    def look(self) -> None:
        """Find the members that exist now; known ones remain members when their parent changes."""
        for member in list(self._members):
            with contextlib.suppress(psutil.Error):
                self._members.update(member.children(recursive=True))
        self._members = {member for member in self._members if member.is_running()}

    def used(self) -> tuple[float, int]:
        """Return the processor time, seconds, and the memory, bytes, of all members together."""
        seconds, nbytes = 0.0, 0
        for member in self._members:
            with contextlib.suppress(psutil.Error):
                times = member.cpu_times()
                seconds += times.user + times.system
                nbytes += member.memory_info().rss
        return seconds, nbytes

    def ended(self) -> bool:
        """Return whether the first process has ended, even if its process id is still reserved."""
        if self.first.returncode is not None or not psutil.POSIX:
            return self.first.poll() is not None
        for member in self._members:
            if member.pid == self.first.pid:
                with contextlib.suppress(psutil.Error):
                    return bool(member.status() == psutil.STATUS_ZOMBIE)
        return self.first.poll() is not None

    def signal(self, number: int) -> None:
        """Send a signal to the first process; it is not waited for, so that its group stays its own until `kill`."""
        with contextlib.suppress(OSError):
            if not psutil.POSIX:
                self.first.send_signal(number)
            elif self.first.returncode is None:
                os.kill(self.first.pid, number)

    def kill(self) -> None:
        """Kill every member: the process group of the first one, and known members that left the group."""
        self.look()
        kill_group = getattr(os, "killpg", None)
        if kill_group is not None and self.first.returncode is None:  # Until then the group cannot be another one's.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill_group(self.first.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        for member in self._members:
            if member.pid != self.first.pid:
                with contextlib.suppress(psutil.Error):
                    member.kill()
        self.first.kill()
