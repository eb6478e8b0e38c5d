"""`python3 tests/fresh_machine.py`: tests that the project starts and passes its tests on a fresh Debian.

It makes the root of a fresh Debian (13 without an option: Python 3.13, no Node, no PyTorch) from Debian's packages,
clones the last commit into it and runs both commands there: `python3 server` until it serves the page and has run a
program, then `python3 tests`.  Needs root, mmdebstrap, git and a network that reaches the packages.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import package_clients

ROOT = Path(__file__).resolve().parent.parent

PACKAGES = ("python3", "python3-venv", "git", "ca-certificates", "mount")
"""The packages of a fresh machine, those that the two commands require."""

PROJECT = "/root/backscope"
"""The folder of the project in the fresh root."""

QUICK = (
    ("tests/engine", "tests/golden", "tests/inside"),
    ("tests/conformance", "tests/server/sandbox", "tests/server/terminal"),
)
"""The quick suites, in two halves that run side by side; `tests` runs the server's others too."""

BUILD_PAGE = "import sys; sys.path.insert(0, 'server'); import environment; environment.ensure_page()"
"""Builds the page, which the sandbox's tests of whole servers need, where it is not current."""

READY_SECONDS = 900
"""The limit for `python3 server` to install, build and listen, which only a start that hangs reaches."""

NEEDED = {
    "mmdebstrap": "apt-get install mmdebstrap",
    "git": "apt-get install git",
    "unshare": "apt-get install util-linux",
}

OWN = ("unshare", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc", "--")
"""Runs a command in namespaces that end with it: what it mounts and starts is gone then."""

ENTER = """
set -eu
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
printf '%s\n' "$3" | while read -r folder; do
    [ -n "$folder" ] || continue
    mkdir -p "$1$folder"
    mount --bind "$folder" "$1$folder"
    mount -o remount,bind,ro "$1$folder"
done
cd "$1"
pivot_root . .
umount --lazy .
cd "$2"
shift 3
set +e
"$@"
exit "$?"
"""
"""Makes the folder $1 the root of a namespace, with the folders of the list $3 to read, and runs a command in $2.

The shell stays the first process of the namespace: as on any machine, that one collects processes whose parents ended
before them.
"""

RUN = b"""import torch
x = torch.tensor(3.0, requires_grad=True)
(x * x).backward()
print(x.grad)
"""


class Failure(Exception):
    """The error for a step that failed; the text says which."""


class Machine:
    """A fresh Debian in a folder, with processes of its own and the network of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.variables = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "PYTHONUNBUFFERED": "1",
            **package_clients.variables(),
        }

    def install(self, suite: str) -> None:
        """Make the root from Debian's packages, with the package settings of this machine.

        Raises: Failure.
        """
        options = [f"--aptopt={option}" for option in package_clients.apt_options()]
        command = ["mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(PACKAGES)}", *options]
        command += [suite, str(self.folder), *package_clients.mirrors(suite)]
        with ended(subprocess.Popen([*OWN, *command], stdin=subprocess.DEVNULL)) as process:
            if process.wait() != 0:
                raise Failure(f"mmdebstrap could not make a root of {suite}; the lines above say why.")
        package_clients.copy_settings(self.folder)

    def clone(self) -> None:
        """Clone the last commit of the project into the root.

        Raises: Failure.
        """
        target = self.folder / PROJECT.lstrip("/")
        if subprocess.run(["git", "clone", "--quiet", "--no-local", ROOT, target], check=False).returncode != 0:
            raise Failure("git could not clone the project; the lines above say why.")

    def start(self, *command: str, output: int | None = None) -> subprocess.Popen[bytes]:
        """Start a command in the project's folder; its namespace ends with it, and with this process."""
        folders = "\n".join(map(str, package_clients.folders()))
        enter = ["sh", "-c", ENTER, "enter", str(self.folder), PROJECT, folders]
        return subprocess.Popen(
            [*OWN, *enter, *command],
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
        )

    def run(self, *command: str) -> int:
        """Run a command in the project's folder; return its exit status."""
        with ended(self.start(*command)) as process:
            return process.wait()


@contextlib.contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Kill the command with all that it started, whether or not the block raises."""
    try:
        yield process
    finally:
        process.kill()  # unshare, whose end is the end of its namespace.
        process.wait()


@contextlib.contextmanager
def fresh(suite: str, within: Path | None) -> Iterator[Machine]:
    """Yield a new machine, and remove it after the block."""
    folder = Path(tempfile.mkdtemp(prefix="backscope-fresh-", dir=within))
    try:
        machine = Machine(folder)
        machine.install(suite)
        machine.clone()
        yield machine
    finally:
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, signal.SIG_IGN)  # Or a second one would leave half of it.
        # Mounts are in namespaces that have ended: nothing but the root's own files is below.
        shutil.rmtree(folder)


def serve(machine: Machine) -> None:
    """Run `python3 server` until it listens, get the page from it and run a program on it.

    Raises: Failure.
    """
    began = time.monotonic()
    command = ("python3", "server", "--no-browser", "--port", "0")
    with ended(machine.start(*command, output=subprocess.PIPE)) as process:
        address, token = _address(process, began + READY_SECONDS)
        print(f"python3 server is ready after {time.monotonic() - began:.0f} s", flush=True)
        with urllib.request.urlopen(f"{address}/?token={token}", timeout=60) as answer:
            page = answer.read()
        if b"<script" not in page:
            raise Failure(f"The server's page is no page: {page[:200]!r}")
        said = printed(address, token)
    if "tensor(6.)" not in said:
        raise Failure(f"A program on the server printed {said!r} instead of tensor(6.)")


def _address(process: subprocess.Popen[bytes], until: float) -> tuple[str, str]:
    """Return the address and the token that the server prints once it listens; print its other output."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        said = b""
        while selector.select(max(0.0, until - time.monotonic())):
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                raise Failure(f"python3 server ended with exit status {process.wait()} before it listened.")
            sys.stdout.buffer.write(piece)
            sys.stdout.flush()
            said += piece
            if found := re.search(rb"(http://[\w.:]+)/\?token=(\S+)\s", said):
                return found[1].decode(), found[2].decode()
    raise Failure(f"python3 server does not listen after {READY_SECONDS} s.")


def printed(address: str, token: str) -> str:
    """Run a program on the server and return its output."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(path: str, data: bytes | None = None) -> bytes:
        request = urllib.request.Request(f"{address}/api/sessions{path}", data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            found: bytes = answer.read()
            return found

    session = json.loads(ask("", json.dumps({"source": RUN.decode()}).encode()))["session"]
    while (status := json.loads(ask(f"/{session}"))["status"]) in ("waiting", "running"):
        time.sleep(0.1)
    trace = ask(f"/{session}/trace")
    import gzip

    events = [json.loads(line) for line in gzip.decompress(trace).splitlines()[1:]]
    text = "".join(event["text"] for event in events if event.get("kind") == "output_printed")
    return text if status == "ok" else f"{status}: {text}"


def quick(machine: Machine) -> None:
    """Run the quick suites; failed tests run again alone, since tests of processes may lack processor time.

    Raises: Failure.
    """
    if machine.run("python3", "tests", "setup") != 0:
        raise Failure("python3 tests setup failed.")
    if machine.run("python3", "-c", BUILD_PAGE) != 0:
        raise Failure("The page could not be built.")
    python = ".venv/bin/python"
    machine.run(python, "--version")
    commands = {
        half: (python, "-m", "pytest", "-q", "-o", f"cache_dir=/tmp/quick{number}", *half)
        for number, half in enumerate(QUICK)
    }
    with contextlib.ExitStack() as stack:
        halves = [stack.enter_context(ended(machine.start(*command))) for command in commands.values()]
        failed = [half for half, process in zip(QUICK, halves, strict=True) if process.wait() != 0]
    again = ("--last-failed", "--last-failed-no-failures=none")
    failed = [half for half in failed if machine.run(*commands[half], *again) != 0]
    if failed:
        raise Failure(f"Failed: {', '.join(name for half in failed for name in half)}")


def everything(machine: Machine) -> None:
    """Run `python3 tests`.

    Raises: Failure.
    """
    if machine.run("python3", "tests") != 0:
        raise Failure("python3 tests failed.")


PARTS = {"server": serve, "tests": everything, "quick": quick}


def _missing() -> str | None:
    """Return what this machine lacks to make another one, None if nothing."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "A fresh machine is made by root, on Linux: it needs namespaces and mounts."
    for command, remedy in NEEDED.items():
        if shutil.which(command) is None:
            return f"{command} is missing: {remedy}"
    return None


def main(arguments: Sequence[str]) -> int:
    """Run the named parts, or both commands; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 tests/fresh_machine.py",
        description="Make a fresh Debian, clone the last commit into it and run both commands there.",
    )
    parser.add_argument(
        "parts",
        metavar="PART",
        nargs="*",
        help="server: `python3 server` until it serves; tests: `python3 tests`; quick: the suites of the engine, of "
        "conformance, the sandbox and the terminal (default: server tests)",
    )
    parser.add_argument(
        "--suite", default="trixie", help="the release of Debian (default trixie, which has Python 3.13)"
    )
    parser.add_argument("--within", type=Path, help="the folder to make it in (default: the one for temporary files)")
    given = parser.parse_args(arguments)
    parts: list[str] = given.parts or ["server", "tests"]
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"no part is named {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if (reason := _missing()) is not None:
        print(reason, file=sys.stderr)
        return 1

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, leave)
    began = time.monotonic()
    try:
        with fresh(given.suite, given.within) as machine:
            print(f"A fresh {given.suite} after {time.monotonic() - began:.0f} s", flush=True)
            for part in parts:
                since = time.monotonic()
                PARTS[part](machine)
                print(f"ok: {part}, {time.monotonic() - since:.0f} s", flush=True)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
