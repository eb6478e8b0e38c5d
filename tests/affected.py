"""Finds the tests and checks that a change can affect, which `python3 tests --changed` runs, and the reasons.

`python tests/affected.py [REV]`, by the Python of .venv, prints it as JSON.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from dependencies import Modules, Tests

ROOT = Path(__file__).resolve().parents[1]

PYTHON_CHECKS = ("ruff check", "ruff format")
TYPED = ("engine/backscope/", "server/backscope_server/", "server/environment.py", "web/build.py", "web/build_hook.py")
"""The folders and files that mypy checks."""
WEB_CHECKS = ("Svelte and TypeScript", "Biome", "generated types")
MAPPING = [f"tests/packaging/test_{name}.py" for name in ("documents", "import_rules", "wheel")]
"""Tests that look at which modules there are."""
PROGRAMS = ("backscope_server.sandbox.zygote", "backscope_server.sandbox.limited_child")
"""The first modules of the processes that programs run in; all of the engine is loaded there."""
WITH_PROGRAMS = ("tests/server", "tests/inside", "tests/browser")
"""Suites that run programs in such processes."""
LESSONS = "server/backscope_server/lessons/"
"""A folder with Markdown that is a part of the program: its tests are those with `lesson` in their paths."""
SERVING = ("backscope_server.api.app", "backscope_server.command.serve")
WITH_SERVER = ("tests/server/attacks", "tests/server/fuzzing", "tests/browser")
"""Suites that start a server, besides those that import it."""


@dataclass
class Affected:
    """The tests that a change affects: files, names of other checks, and for vitest "", "changed" or "whole".

    `everything` says why all has to run, where that is so.
    """

    everything: str = ""
    tests: set[str] = field(default_factory=set)
    checks: set[str] = field(default_factory=set)
    vitest: str = ""
    reasons: list[str] = field(default_factory=list)


class Change:
    """Files that were changed, added or removed, and the tests that can be affected."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.modules = Modules(root)
        self.tests = Tests(root, self.modules)
        self.files = [path.relative_to(root).as_posix() for path in self.tests.files]
        self._texts: dict[str, str] = {}

    def affected(self, changed: list[str]) -> Affected:
        """Return what these files can affect, given by their paths in the repository."""
        found = Affected()
        modules: set[str] = set()
        for file in changed:
            if file.endswith(".py") and (self.root / file).exists():
                found.checks.update(PYTHON_CHECKS, ["mypy"] if file.startswith(TYPED) else [])
            if module := self.modules.of(file):
                modules.add(module)
            elif not self._other(file, found):
                found.everything = f"{file} may affect anything"
        if modules:
            self._modules(modules, found)
        return found

    def _other(self, file: str, found: Affected) -> bool:
        """Record what a file that is no module affects; return False if that is not known."""
        path = Path(file)
        if path.suffix == ".md":
            lessons = {name for name in self.files if "lesson" in name} if file.startswith(LESSONS) else set()
            return self._add(found, file, self._reading(path) | lessons | {MAPPING[0]})
        if path.parts[0] == "tests":
            return self._test(path, found)
        if file.startswith("web/"):
            found.checks.update(WEB_CHECKS)
            inside = file.startswith("web/src/")
            found.vitest = "changed" if inside and found.vitest != "whole" else "whole"
            builds = {name for name in self._below("tests/packaging") if re.search('"web["/]', self._text(name))}
            return self._add(found, "web/", self._below("tests/browser") | builds)
        if path.parts[0] in ("docker", ".ci", "LICENSE") or file.startswith("server/environment"):
            return self._add(found, file, self._below("tests/packaging"))
        return False

    def _test(self, path: Path, found: Affected) -> bool:
        """Record what a file below tests/ affects: a test itself, another file the tests of its innermost folder."""
        file = path.as_posix()
        if file in self.files:
            inside = {"tests/inside/test_engine.py"} if file.startswith("tests/engine/") else set()
            return self._add(found, file, {file} | inside)
        if path.name.startswith("test_") and path.suffix == ".py":  # One that is gone.
            return True
        if path.parent == Path("tests"):
            if path.stem in ("conftest", "serving", "proxy"):
                return False
            return self._add(found, file, self._below("tests/packaging") | self._reading(path))
        if path.is_relative_to("tests/golden") or path.is_relative_to("tests/traces") or path.suffix == ".json":
            found.vitest = "whole"
        folder = next((parent for parent in path.parents if any(Path(f).parent == parent for f in self.files)), None)
        beside = set() if folder is None else self._below(folder.as_posix())
        return self._add(found, file, beside | self._reading(path))

    def _modules(self, changed: set[str], found: Affected) -> None:
        """Record what modules of the engine or the server affect, with all modules that import them."""
        found.checks.add("import rules")
        what = ", ".join(sorted(changed)[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        importing = self.modules.importing(changed)
        tests = {file for file in self.files if self.tests.of(self.root / file) & importing}
        self._add(found, f"what imports {what}", tests)
        if any(module.startswith(("backscope.protocol", "backscope_server.lessons")) for module in changed):
            found.checks.add("generated types")
        in_programs = any(name.partition(".")[0] == "backscope" for name in changed) or importing & set(PROGRAMS)
        served = WITH_SERVER if importing & set(SERVING) else ()
        for folder in WITH_PROGRAMS if in_programs else served:
            self._add(found, f"{what} in the processes of {folder}", self._below(folder))
        self._add(found, f"{what} in the documents and the wheel", {*MAPPING})

    def _below(self, folder: str) -> set[str]:
        return {file for file in self.files if file.startswith(f"{folder}/")}

    def _reading(self, path: Path) -> set[str]:
        """Return the tests that have the name of a file, and that of its folder, in quotation marks or paths."""
        folder = path.parent.name
        whole = re.compile(rf"[\"'/]{re.escape(folder)}[\"'/]" if folder not in ("", "tests") else "")
        texts = {file: self._text(file) for file in self.files}
        return {file for file, text in texts.items() if path.name in text and whole.search(text)}

    def _text(self, file: str) -> str:
        """Return the text of a file of tests; each file is read once."""
        if file not in self._texts:
            self._texts[file] = (self.root / file).read_text("utf-8")
        return self._texts[file]

    def _add(self, found: Affected, reason: str, tests: set[str]) -> bool:
        if tests - found.tests:
            found.reasons.append(f"{reason}: {len(tests)} files of tests")
        found.tests |= tests
        return True


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def revision(named: str = "") -> str:
    """Return the commit to compare with: the one named, else the one where upstream was left, else the last but one."""
    if named:
        return _git("rev-parse", "--verify", f"{named}^{{commit}}").strip()
    done = subprocess.run(
        ["git", "merge-base", "HEAD", "@{upstream}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else _git("rev-parse", "--verify", "HEAD~1").strip()


def changed_since(since: str) -> list[str]:
    """Return the files that differ from this commit, including those that git does not track yet."""
    known = _git("diff", "--name-only", "--no-renames", "-z", since).split("\0")
    new = _git("ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return sorted({file for file in (*known, *new) if file})


if __name__ == "__main__":
    since = revision(sys.argv[1] if len(sys.argv) > 1 else "")
    changed = changed_since(since)
    affected = Change().affected(changed)
    print(json.dumps({"since": since, "changed": len(changed), **vars(affected)}, default=sorted))
