"""`python3 tests/image_build.py`: builds the image of docker/Dockerfile without Docker, and starts what is in it.

Its base is made from Debian's packages, in place of the published image with the same Python, which needs a registry.
buildah builds both stages with the isolation of chroot; then, as the image's user, the sandbox has to pass its test and
a public server has to run a program.  Needs root, buildah, mmdebstrap and a network that reaches the packages.
"""

from __future__ import annotations

import argparse
import contextlib
import os
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
from fresh_machine import printed
from redis_server import free_port

ROOT = Path(__file__).resolve().parent.parent

PACKAGES = ("python3", "python3-venv", "ca-certificates", "passwd")
PYTHON = "/opt/python"
"""An environment, since Debian's own pip cannot replace Debian's packages: its `python` and `pip` are on the path."""

BASE, IMAGE = "localhost/backscope-python", "localhost/backscope"
NEEDED = ("buildah", "mmdebstrap")
READY_SECONDS = 120
ISOLATION = ("--isolation", "chroot")


class Failure(Exception):
    """The error for a step that failed; the text says which."""


class Store:
    """buildah with its images in a folder of its own, so that nothing of this machine's is seen or kept."""

    def __init__(self, folder: Path) -> None:
        # The driver of plain folders works in every container; overlays do not.
        self._first = ["buildah", "--storage-driver", "vfs", "--root", str(folder / "root")]
        self._first += ["--runroot", str(folder / "run")]

    def command(self, name: str, *arguments: str) -> list[str]:
        """Return the words of a command."""
        return [*self._first, name, *arguments]

    def __call__(self, name: str, *arguments: str) -> str:
        """Carry out a command and return what it prints to standard output.

        Raises: Failure.
        """
        command = self.command(name, *arguments)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"buildah {name} failed; the lines above say why.\n{done.stdout}")
        return done.stdout.strip()

    def start(self, container: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command in a container, which `ended` ends."""
        command = self.command("run", *ISOLATION, container, "--", *arguments)
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)


@contextlib.contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """End the process group of a command after the block."""
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def make_base(store: Store, folder: Path, suite: str) -> None:
    """Make the base image from Debian's packages.

    Raises: Failure.
    """
    root = folder / "base"
    options = [f"--aptopt={option}" for option in package_clients.apt_options()]
    command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", *options]
    command += [suite, str(root), *package_clients.mirrors(suite)]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise Failure(f"mmdebstrap could not make a root of {suite}; the lines above say why.")
    package_clients.copy_settings(root)
    container = store("from", "scratch")
    store("copy", "--quiet", container, str(root), "/")
    shutil.rmtree(root)
    store("run", *ISOLATION, container, "--", "python3", "-m", "venv", PYTHON)
    settings = {"PATH": f"{PYTHON}/bin:/usr/sbin:/usr/bin:/sbin:/bin", **package_clients.variables()}
    store("config", *(f"--env={name}={value}" for name, value in settings.items()), container)
    store("commit", "--quiet", "--rm", container, BASE)


def build(store: Store) -> None:
    """Build both stages of the image.

    Raises: Failure.
    """
    folders = [f"--volume={folder}:{folder}:ro" for folder in package_clients.folders()]
    given = [*ISOLATION, "--network", "host", *folders, "--build-arg", f"PYTHON_IMAGE={BASE}"]
    # The last stage mounts files of the first one, which stay only where its layers are kept.
    command = store.command("build", "--layers", *given, "-f", "docker/Dockerfile", "-t", IMAGE, ".")
    if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise Failure("The image could not be built; the lines above say why.")


def check(store: Store) -> None:
    """Have the sandbox pass its test in a container of the image, and a public server run a program there.

    Raises: Failure.
    """
    container = store("from", IMAGE)
    with ended(store.start(container, "backscope", "sandbox")) as process:
        if process.wait() != 0:
            raise Failure("backscope sandbox failed in the container.")
    address = f"http://127.0.0.1:{(port := free_port())}"
    command = ("backscope", "serve", "--no-browser", "--public", "--port", str(port))
    with ended(store.start(container, *command)) as process:
        end = time.monotonic() + READY_SECONDS
        page = b""
        while not page and time.monotonic() < end and process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/") as answer:
                page = answer.read()
            time.sleep(0.2)
        if b"<script" not in page:
            raise Failure("The server of the image serves no page.")
        said = printed(address, "")
    if "tensor(6.)" not in said:
        raise Failure(f"A program in the image printed {said!r} instead of tensor(6.)")


def main(arguments: Sequence[str]) -> int:
    """Build the image and check it; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 tests/image_build.py", description="Build docker/Dockerfile by buildah and start what is in it."
    )
    parser.add_argument(
        "--suite", default="trixie", help="the release of Debian for the base (default trixie, which has Python 3.13)"
    )
    parser.add_argument("--within", type=Path, help="the folder to build in (default: the one for temporary files)")
    given = parser.parse_args(arguments)
    if os.geteuid() != 0:
        print("The image is built by root here.", file=sys.stderr)
        return 1
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        print(f"Missing: apt-get install {' '.join(missing)}", file=sys.stderr)
        return 1
    folder = Path(tempfile.mkdtemp(prefix="backscope-image-", dir=given.within))
    store = Store(folder)
    try:
        for about, step in (
            (f"a base of {given.suite}", lambda: make_base(store, folder, given.suite)),
            ("both stages", lambda: build(store)),
            ("the sandbox and a server in it", lambda: check(store)),
        ):
            since = time.monotonic()
            step()
            print(f"ok: {about}, {time.monotonic() - since:.0f} s", flush=True)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        subprocess.run(store.command("rm", "--all"), stdout=subprocess.DEVNULL, check=False)
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
