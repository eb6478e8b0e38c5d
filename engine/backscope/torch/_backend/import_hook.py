"""Makes `import torch`, `import torch.nn.functional as F` and the like give Backscope's namespace."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

from backscope.torch._backend.missing_packages import absence
from backscope.torch.missing import complete, complete_all, lacking

ROOT = "backscope.torch"
_OURS = ("torch", "functorch")
"""The packages that Backscope provides to programs."""


def _is_torch(name: str) -> bool:
    return name.partition(".")[0] in _OURS


def _inner(name: str) -> str:
    """Return the name in Backscope of a module of these packages."""
    return f"backscope.{name}"


class _NamespaceLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of the namespace and completes it, whichever name it is imported by."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        complete(module)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `torch.a.b` as `backscope.torch.a.b`; `given` are the names that were imported."""

    def __init__(self) -> None:
        self.given: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        error = absence(fullname)
        if error is not None:
            raise error
        if _is_torch(fullname):
            self.given.add(fullname)
            return importlib.util.spec_from_loader(fullname, self, is_package=True)
        if not fullname.startswith(ROOT + "."):
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        if found is not None and type(found.loader) is importlib.machinery.SourceFileLoader:
            found.loader = _NamespaceLoader(fullname, found.loader.path)
        return found

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        inner = _inner(spec.name)
        try:
            module = importlib.import_module(inner)
        except ModuleNotFoundError as error:
            if not str(error.name).startswith((ROOT, "backscope.functorch")):
                raise
            parent, _, own = spec.name.rpartition(".")
            known = getattr(sys.modules.get(parent), "__dict__", {})
            raise ModuleNotFoundError(
                f"No module named '{spec.name}': {lacking(parent, own, known)}", name=spec.name
            ) from None
        self._own = getattr(module, "__spec__", None)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own


_prepared: list[tuple[int, list[str]]] = []
"""The number of loaded modules when the namespace was last searched, and the hidden modules found."""


def _hidden_modules() -> list[str]:
    """Return the modules hidden by a function of the same name, which importing them again would replace.

    All loaded modules of the namespace get the error for missing names.  While the number of modules is unchanged,
    none is touched: in a process that shares its memory with another, touched memory is copied.
    """
    count = len(sys.modules)
    if _prepared and _prepared[0][0] == count:
        return _prepared[0][1]
    complete_all()
    found = []
    for name in [n for n in sys.modules if n.startswith(ROOT + ".")]:
        parent, _, own = name.rpartition(".")
        if getattr(sys.modules[parent], own, None) is not sys.modules[name]:
            found.append(name)
    _prepared[:] = [(count, found)]
    return found


class Alias:
    """A context in which `import torch` gives Backscope's torch; another torch is restored at its end."""

    def __init__(self) -> None:
        self.finder = _Finder()
        self.aside: dict[str, ModuleType] = {}
        self.hidden: list[str] = []
        self.count = 0

    def __enter__(self) -> None:
        if "torch" in sys.modules:
            self.aside = {name: sys.modules.pop(name) for name in [*sys.modules] if _is_torch(name)}
        sys.meta_path.insert(0, self.finder)
        self.count = len(sys.modules)
        sys.modules["torch"] = importlib.import_module(ROOT)
        self.hidden = _hidden_modules()
        sys.modules.update({"torch" + name[len(ROOT) :]: sys.modules[name] for name in self.hidden})

    def __exit__(self, *exc: object) -> None:
        sys.meta_path.remove(self.finder)
        for name in ("torch", *self.finder.given, *["torch" + name[len(ROOT) :] for name in self.hidden]):
            sys.modules.pop(name, None)
        if len(sys.modules) != self.count:  # The program has imported modules of its own.
            for name in [name for name in sys.modules if _is_torch(name)]:
                del sys.modules[name]
        sys.modules.update(self.aside)
