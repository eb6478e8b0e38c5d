"""Makes `import torch`, `import torch.nn.functional as F` and the like give Backscope's namespace."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

ROOT = "backscope.torch"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """`torch.a.b` is `backscope.torch.a.b`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == "torch" or fullname.startswith("torch."):
            return importlib.util.spec_from_loader(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        inner = ROOT + spec.name[len("torch") :]
        try:
            module = importlib.import_module(inner)
        except ModuleNotFoundError as error:
            if not str(error.name).startswith(ROOT):
                raise
            raise ModuleNotFoundError(
                f"No module named '{spec.name}': Backscope does not have it (yet); it runs programs on its own torch.",
                name=spec.name,
            ) from None
        self._own = getattr(module, "__spec__", None)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own


def install_alias() -> None:
    """From now on `torch` is Backscope's in this process, unless a real PyTorch was imported before."""
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    present = sys.modules.get("torch")
    if present is None or getattr(present, "__name__", "") == ROOT:
        sys.modules["torch"] = importlib.import_module(ROOT)
