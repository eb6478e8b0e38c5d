"""Weaves the modules that a program imports from its own folder, so that they are recorded and can be stopped."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any, Protocol

from backscope.program.own_files import OwnFiles


class Weaving(Protocol):
    """Weaves calls into the files of a program."""

    def compiled(self, source: str, path: str) -> CodeType:
        """Return the woven code of a file, and record that it takes part in the program."""

    # Any: functions and flags.
    def called(self, path: str) -> dict[str, Any]:
        """Return what the woven code of a file uses, by name."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of the program with calls woven in."""

    def __init__(self, fullname: str, path: str, modules: OwnModules) -> None:
        super().__init__(fullname, path)
        self._modules = modules

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the woven code of the module."""
        source = self.get_source(fullname)
        return self._modules.weaving.compiled(source or "", self.get_filename(fullname))

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, with what the woven code uses among its variables."""
        self._modules.loaded.append(module.__name__)
        code = self.get_code(module.__name__)
        module.__dict__.update(self._modules.weaving.called(self.get_filename(module.__name__)))
        if code is not None:
            exec(code, module.__dict__)  # noqa: S102


class OwnModules(importlib.abc.MetaPathFinder):
    """A context in which the modules that are imported from the program's folder are woven."""

    def __init__(self, own: OwnFiles, weaving: Weaving) -> None:
        self.loaded: list[str] = []
        self.weaving = weaving
        self._own = own

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

    def __enter__(self) -> None:
        at = [index for index, finder in enumerate(sys.meta_path) if finder is importlib.machinery.PathFinder]
        sys.meta_path.insert(at[0] if at else len(sys.meta_path), self)

    def __exit__(self, *exc: object) -> None:
        sys.meta_path.remove(self)
        for name in self.loaded:
            sys.modules.pop(name, None)
