"""Weaves the modules that a program imports from its own folder, so that their lines, names and loops are recorded."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

from backscope.program import instrument
from backscope.program.own_files import OwnFiles
from backscope.recorder.recorder import Recorder


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of the program with the calls that record its names, loops, functions and caught errors."""

    def __init__(self, fullname: str, path: str, modules: OwnModules) -> None:
        super().__init__(fullname, path)
        self._modules = modules

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the woven code of the module."""
        source = self.get_source(fullname)
        return self._modules.compiled(source or "", self.get_filename(fullname))

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, with the functions that the woven code calls among its variables."""
        self._modules.loaded.append(module.__name__)
        module.__dict__.update(self._modules.called)
        super().exec_module(module)


class OwnModules(importlib.abc.MetaPathFinder):
    """A context in which imports from the program's folder are recorded with files of their own.

    `called` has the functions that woven code calls, by name; `sites` the loops and functions of the whole program.
    """

    def __init__(self, own: OwnFiles, recorder: Recorder, called: dict[str, Any], sites: list[tuple[int, str]]) -> None:
        self.loaded: list[str] = []
        self.called = called
        self._own = own
        self._recorder = recorder
        self._sites = sites

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module of the program, None for any other."""
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is None or type(found.loader) is not importlib.machinery.SourceFileLoader:
            return None
        if self._own.name(found.loader.path) is None:
            return None
        found.loader = _Loader(fullname, found.loader.path, self)
        return found

    def compiled(self, source: str, path: str) -> CodeType:
        """Return the woven code of a file of the program, and record that it takes part in it."""
        others = self._recorder.code.others
        if path not in others.numbers:
            self._recorder.source_added(path, self._own.name(path) or path, source)
        code, sites = instrument.compiled(source, path, first=len(self._sites))
        self._sites += [(others.line(path, line) or line, head) for line, head in sites]
        return code

    def __enter__(self) -> None:
        at = [index for index, finder in enumerate(sys.meta_path) if finder is importlib.machinery.PathFinder]
        sys.meta_path.insert(at[0] if at else len(sys.meta_path), self)

    def __exit__(self, *exc: object) -> None:
        sys.meta_path.remove(self)
        for name in self.loaded:
            sys.modules.pop(name, None)
