"""The error for a name of PyTorch that Backscope lacks: it says so, and what comes nearest."""

from __future__ import annotations

import difflib
import dis
import sys
from collections.abc import Iterable
from types import ModuleType

from backscope.tensor import Tensor

PAGES = "backscope.torch"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names like one: those that begin alike first, then those spelled alike."""
    names = sorted(k for k in known if not k.startswith("_") and (name.endswith("_") or not k.endswith("_")))
    begun = [k for k in names if k.startswith(name + "_") or name.startswith(k + "_")]
    if len(name) < 3:
        return begun[:3]
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.75)
    spelled = [k for k in close if len(k) == len(name) or difflib.SequenceMatcher(None, k, name).ratio() > 0.76]
    return [*begun, *(k for k in spelled if k not in begun)][:3]


def lacking(module: str, name: str, known: Iterable[str]) -> str:
    """That Backscope lacks a name of a module, and what comes nearest."""
    near = nearest(name, known)
    hint = f" What comes nearest: {', '.join(f'{module}.{n}' for n in near)}." if near else ""
    return f"Backscope does not have it (yet).{hint}"


def missing_name(module: str, name: str, known: Iterable[str]) -> AttributeError | ImportError:
    """The error for `module.name`, for the module's __getattr__ to raise: an ImportError for `from module import`."""
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    told = lacking(module, name, known)
    if _is_imported_from(2):
        return ImportError(f"cannot import name '{name}' from '{module}': {told}", name=module)
    return AttributeError(f"module '{module}' has no attribute '{name}': {told}", name=name)


def _is_imported_from(depth: int) -> bool:
    """Whether what asks for a name, so many calls up from here, is the second half of a `from ... import`."""
    try:
        frame = sys._getframe(depth + 1)
    except ValueError:
        return False
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"


def tell_of_method(error: BaseException) -> None:
    """Add to the AttributeError of a tensor that Backscope lacks the method, and what comes nearest."""
    if isinstance(error, AttributeError) and isinstance(error.name, str) and len(error.args) == 1:
        kind = error.obj if isinstance(error.obj, type) else type(error.obj)
        text = str(error.args[0])
        if issubclass(kind, Tensor) and not error.name.startswith("__") and "Backscope" not in text:
            error.args = (f"{text}: {lacking('Tensor', error.name, dir(Tensor))}",)


def complete(page: ModuleType) -> None:
    """Give a page of the namespace that has no words for missing names those of all."""
    if page.__name__.startswith(PAGES) and "__getattr__" not in page.__dict__:
        title = "torch" + page.__name__[len(PAGES) :]

        def find(name: str) -> object:
            raise missing_name(title, name, page.__dict__)

        page.__dict__["__getattr__"] = find


def complete_all() -> None:
    """The same for all pages that are loaded."""
    for name, page in [*sys.modules.items()]:
        if name.startswith(PAGES + ".") and isinstance(page, ModuleType):
            complete(page)
