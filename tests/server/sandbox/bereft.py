"""Takes away from Linux what Windows lacks: `python bereft.py ARGUMENT ...` is `backscope ARGUMENT ...` there.

The programs of that server run in processes that lack the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import faulthandler
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs  # noqa: F401
import psutil
import uvicorn  # noqa: F401

MODULES = ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "posix_spawn")
NAMES: dict[Any, str] = {
    os: "fork forkpty killpg getpgid setpgid setsid geteuid getuid getegid getgid setuid setgid setgroups setresuid "
    "setresgid sysconf nice setpriority getpriority fchmod chown pidfd_open set_blocking statvfs wait wait3 wait4 "
    "O_NOFOLLOW O_CLOEXEC O_DIRECTORY O_NONBLOCK sched_getaffinity",
    signal: "SIGKILL SIGUSR1 SIGUSR2 SIGALRM SIGXCPU SIGHUP SIGQUIT SIGCHLD SIGPIPE SIGSYS SIGSTOP SIGCONT ITIMER_REAL "
    "setitimer getitimer alarm pause pidfd_send_signal pthread_kill pthread_sigmask sigwait siginterrupt",
    select: "poll epoll",
    faulthandler: "register unregister",
    socket: "send_fds recv_fds",
}


def _sockets_only(descriptor: Any) -> int:
    number: int = descriptor if isinstance(descriptor, int) else descriptor.fileno()
    if not stat.S_ISSOCK(os.fstat(number).st_mode):
        raise OSError(10038, "An operation was attempted on something that is not a socket")
    return number


def _open_here(path: Any) -> bool:
    """Return whether this process has a file open, which Windows can neither rename nor remove."""
    wanted = os.path.realpath(path)
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if os.readlink(entry) == wanted:
                return True
    return False


def _closed_only(function: Callable[..., None]) -> Callable[..., None]:
    def on_closed(*paths: Any, **options: Any) -> None:
        for path in paths:
            if not isinstance(path, int) and _open_here(path):
                raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
        function(*paths, **options)

    return on_closed


def _fake_locking() -> types.ModuleType:
    """Lock a byte at the position of the file, as msvcrt.locking does."""
    module = types.ModuleType("msvcrt")

    def locking(file: int, mode: int, nbytes: int) -> None:
        os.lockf(file, mode, nbytes)

    module.__dict__.update(LK_NBLCK=os.F_TLOCK, locking=locking)
    return module


def take_away() -> None:
    """Remove from this process what Windows does not have."""
    kill, real_select, library = os.kill, select.select, ctypes.CDLL.__init__

    def select_sockets(read: list[Any], write: list[Any], exceptional: list[Any], *seconds: float) -> Any:
        for descriptor in (*read, *write, *exceptional):
            _sockets_only(descriptor)
        return real_select(read, write, exceptional, *seconds)

    def load(self: Any, name: str | None, *arguments: Any, **options: Any) -> None:
        if name is None:
            raise TypeError("argument of type 'NoneType' is not iterable")
        library(self, name, *arguments, **options)

    def refuse(*_arguments: Any) -> None:
        raise NotImplementedError

    # What these do with signals, Windows does by calls of its own.
    setattr(subprocess.Popen, "kill", lambda self: self.poll() is None and kill(self.pid, 9))
    setattr(subprocess.Popen, "send_signal", refuse)
    psutil.Process.kill = lambda self: kill(self.pid, 9)
    psutil.POSIX = False
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in NAMES.items():
        for name in names.split():
            with contextlib.suppress(AttributeError):
                delattr(module, name)
    if hasattr(os, "process_cpu_count"):  # os.py of Python 3.13 has it so where there is no sched_getaffinity.
        os.process_cpu_count = os.cpu_count
    sys.modules["msvcrt"] = _fake_locking()
    os.waitstatus_to_exitcode = lambda status: status >> 8
    os.replace, os.unlink, os.remove = map(_closed_only, (os.replace, os.unlink, os.remove))
    select.select = select_sockets
    ctypes.CDLL.__init__ = load  # type: ignore[method-assign]
    for name in ("add_reader", "remove_reader", "add_writer", "remove_writer", "add_signal_handler"):
        setattr(asyncio.SelectorEventLoop, name, refuse)


def main() -> int:
    """Run the command line, with programs in processes that lack the same things."""
    from backscope_server.sandbox import limited

    first = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import bereft; bereft.take_away(); "
    limited._BOOTSTRAP = first + limited._BOOTSTRAP
    from backscope_server.command.cli import main as command_line

    return command_line(sys.argv[1:])


if __name__ == "__main__":
    take_away()
    sys.exit(main())
