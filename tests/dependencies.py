"""The import graph of the engine and the server, and the modules that test files use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import grimp

PACKAGES = {"backscope": "engine", "backscope_server": "server"}
"""Each package and the folder that it is in."""

# Without a dot, `backscope` is a word, and `backscope_server` what `python -m` runs.
_NAME = re.compile(r"\b(?:backscope|backscope_server)(?:\.\w+)+|\bbackscope_server\b")


class Modules:
    """The modules of both packages, and which of them import which."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.graph = grimp.build_graph(*PACKAGES, cache_dir=None)
        self.names = frozenset(self.graph.modules)
        for name in self.names:
            for loaded in self._named_in(name):
                if loaded != name:
                    self.graph.add_import(importer=name, imported=loaded)

    def of(self, file: str) -> str | None:
        """Return the module that a file of the repository is, None if it is none."""
        folder, _, rest = file.partition("/")
        name = rest.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        known = rest.endswith(".py") and PACKAGES.get(name.partition(".")[0]) == folder and name in self.names
        return name if known else None

    def importing(self, changed: Iterable[str]) -> set[str]:
        """Return these modules and all that import one of them, directly or through others.

        Who imports a module loads the packages that it is in; the outermost ones import nothing by themselves.
        A module of the engine that none imports is loaded by its package, which goes through its folder.
        """
        found = set(changed)
        waiting = list(found)
        while waiting:
            module = waiting.pop()
            after = set(self.graph.find_modules_that_directly_import(module))
            if module.startswith("backscope.") and all(name.startswith(f"{module}.") for name in after):
                after.add(module.rpartition(".")[0])
            if module not in PACKAGES:
                after |= self.graph.find_children(module)
            waiting += after - found
            found |= after
        return found

    def known(self, name: str) -> str | None:
        """Return the longest beginning of a dotted name that is a module."""
        while name and name not in self.names:
            name = name.rpartition(".")[0]
        return name or None

    def _named_in(self, name: str) -> set[str]:
        """Return the modules whose full name is in quotation marks in a module's source, for later imports."""
        package = name.partition(".")[0]
        path = self.root / PACKAGES[package] / name.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        text = file.read_text("utf-8") if file.is_file() else ""
        return {found for found in re.findall(r'"(backscope(?:_server)?(?:\.\w+)+)"', text) if found in self.names}


@dataclass
class Definition:
    """A function or class of a test file: the names that it uses, and the modules that it names."""

    names: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    is_fixture: bool = False
    is_automatic: bool = False


class Source:
    """A Python file below tests/: its imports, and its definitions at the outermost level."""

    def __init__(self, path: Path, modules: Modules) -> None:
        self.path = path
        self.imported: dict[str, set[str]] = {}
        self.beside: dict[str, str] = {}
        self.definitions: dict[str, Definition] = {}
        self.whole = Definition()
        tree = ast.parse(path.read_bytes())
        for statement in tree.body:
            made = self._definition(statement, modules)
            self.whole.names |= made.names
            self.whole.modules |= made.modules
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.definitions[statement.name] = made
                decorators = [ast.unparse(each) for each in statement.decorator_list]
                made.is_fixture = any("fixture" in each for each in decorators)
                made.is_automatic = any("autouse=True" in each for each in decorators)
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                self.definitions |= {target.id: made for target in targets if isinstance(target, ast.Name)}

    def _definition(self, statement: ast.stmt, modules: Modules) -> Definition:
        made = Definition()
        for node in ast.walk(statement):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node, modules)
                made.names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.Name):
                made.names.add(node.id)
            elif isinstance(node, ast.arg):
                made.names.add(node.arg)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if node.value.isidentifier():  # A fixture can be requested by its name.
                    made.names.add(node.value)
                made.modules |= {known for name in _NAME.findall(node.value) if (known := modules.known(name))}
        return made

    def _import(self, node: ast.Import | ast.ImportFrom, modules: Modules) -> None:
        for alias in node.names:
            whole = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            bound = (alias.asname or alias.name).partition(".")[0]
            if known := modules.known(whole):
                self.imported.setdefault(bound, set()).add(known)
            else:
                self.beside[bound] = (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name


class Tests:
    """The test files, and the modules that each depends on."""

    def __init__(self, root: Path, modules: Modules) -> None:
        self.root = root
        self.modules = modules
        self.files = sorted((root / "tests").rglob("test_*.py"))
        self._sources: dict[Path, Source] = {}

    @cached_property
    def _helpers(self) -> dict[str, list[Path]]:
        """Return the files that tests import from beside them, by their name."""
        found: dict[str, list[Path]] = {}
        for path in (self.root / "tests").rglob("*.py"):
            if not path.name.startswith("test_") and not {"programs", "snippets"} & set(path.parts):
                found.setdefault(path.stem, []).append(path)
        return found

    def source(self, path: Path) -> Source:
        """Return a file, parsed once."""
        if path not in self._sources:
            self._sources[path] = Source(path, self.modules)
        return self._sources[path]

    def of(self, file: Path) -> set[str]:
        """Return the modules that a test file imports or names, itself or through its fixtures and helpers."""
        source = self.source(file)
        found = self._whole(source, set())
        conftests = [self.source(path) for path in self._conftests(file)]
        wanted = {name for each in conftests for name, made in each.definitions.items() if made.is_automatic}
        wanted |= source.whole.names
        for conftest in conftests:  # The innermost first: fixtures there request those further out.
            mine = {name for name in wanted if name in conftest.definitions and conftest.definitions[name].is_fixture}
            for name in mine:
                modules, names = self._used(conftest, name, set())
                found |= modules
                wanted |= names
        return found

    def _conftests(self, file: Path) -> Iterator[Path]:
        for folder in file.parents:
            if (path := folder / "conftest.py").is_file():
                yield path
            if folder == self.root / "tests":
                return

    def _whole(self, source: Source, seen: set[Path]) -> set[str]:
        seen.add(source.path)
        found = set(source.whole.modules).union(*source.imported.values())
        for helper in source.beside.values():
            for path in self._helpers.get(helper.rpartition(".")[2], ()):
                if path not in seen:
                    found |= self._whole(self.source(path), seen)
        return found

    def _used(self, source: Source, name: str, seen: set[str]) -> tuple[set[str], set[str]]:
        """Return the modules that a definition uses, and all names in it and in the functions that it calls."""
        if name in seen:
            return set(), set()
        seen.add(name)
        made = source.definitions[name]
        modules, names = set(made.modules), set(made.names)
        for used in made.names:
            modules |= source.imported.get(used, set())
            if used in source.definitions:
                more, further = self._used(source, used, seen)
                modules |= more
                names |= further
            for path in self._helpers.get(used, ()):  # Loaded by its name, as serving.py is.
                if path.parent in source.path.parents or path.parent == source.path.parent:
                    modules |= self._whole(self.source(path), {source.path})
        return modules, names
