"""Imports the modules that programs may use: the engine, numpy, and the standard modules listed here.

Children cannot open files, so every module that they import has to be in memory before they are forked.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import warnings
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

STANDARD = """
    __future__ _strptime abc argparse array ast atexit base64 binascii bisect builtins calendar cmath codecs
    collections collections.abc colorsys contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal
    difflib dis enum errno faulthandler fnmatch fractions functools gc getopt graphlib hashlib heapq hmac html
    importlib importlib.abc importlib.metadata importlib.util inspect io itertools json keyword linecache locale
    logging math numbers operator os os.path pathlib pickle platform pprint queue random re reprlib secrets shutil
    signal stat statistics string struct sys sysconfig tempfile textwrap threading time timeit token tokenize
    traceback types typing unicodedata unittest uuid warnings weakref zlib encodings.ascii
    encodings.idna encodings.latin_1 encodings.utf_16 encodings.utf_8_sig
    _ast_unparse annotationlib codeop string.templatelib unittest._log
"""
"""Modules of every Python from 3.11 on; the last line has those that some of them import later, and 3.14's new ones."""

NUMERIC = """
    numpy numpy.char numpy.ctypeslib numpy.exceptions numpy.fft numpy.lib.stride_tricks numpy.linalg numpy.ma
    numpy.polynomial numpy.random numpy.rec numpy.strings numpy.testing numpy.typing ml_dtypes
"""

ENGINE = "backscope"

NOT_LOADED = f"{ENGINE}.pytorch"
"""The room for programs on PyTorch itself: no program here runs on it, and it fails where PyTorch is not installed."""

BEGINNING = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
"""
"""A program that does what almost every program does first, so that a spare child has copied those pages."""

_REST = """\
y.relu().sum().backward()
print(y)
from torch import nn
layer = nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(2):
    loss = (layer(x.detach()) * 2 - 1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
loss.misspelt
"""

_OFTEN = 12
"""How often it is run in the zygote, so that Python has specialized its code, which each child would copy otherwise."""


def _load_engine() -> None:
    """Import the modules of the engine that programs may use: an import in a function would fail later in a child."""
    folder = Path(importlib.import_module(ENGINE).__path__[0])
    for file in sorted(folder.rglob("*.py")):  # Some folders have no __init__.py, which pkgutil passes over.
        parts = file.relative_to(folder).with_suffix("").parts
        name = ".".join([ENGINE, *(part for part in parts if part != "__init__")])
        if f"{name}.".startswith(f"{NOT_LOADED}."):
            continue
        try:
            importlib.import_module(name)
        except ImportError as error:
            # A module may be for an optional package that is missing here, but a broken engine must not start.
            if error.name is None or error.name.partition(".")[0] == ENGINE:
                raise


def load(program: str) -> ModuleType:
    """Import everything that programs may use and return the module `program`, which runs them.

    Raises: ImportError where the engine or numpy is missing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in STANDARD.split():
            with contextlib.suppress(ImportError):  # Some builds of Python leave out a module or two.
                importlib.import_module(name)
        for name in NUMERIC.split():
            importlib.import_module(name)
        importlib.import_module(ENGINE).keep_memory()
        _load_engine()
        return importlib.import_module(program)


def warm(run: Callable[..., object]) -> None:
    """Run code once in the zygote that every child would run: numpy's buffers and tables, the sources of the ops.

    `run` runs a program as in the children, which creates all objects that the first run creates.
    """
    import numpy as np

    from backscope.ops.core import inline
    from backscope.ops.core.declaration import primitives

    matrix = np.ones((64, 64), dtype=np.float32)
    np.linalg.svd(matrix @ matrix)
    str(matrix)
    repr(np.array([1.5, -2.0]))
    np.random.default_rng(0).standard_normal(4)
    np.random.seed(0)
    inline.read_sources()
    for op in primitives.values():
        op.prepare()
    for _ in range(_OFTEN):
        run(BEGINNING + _REST, lambda batch: None)


class NotPreloaded:
    """The last import finder of a child: its error says that a module is not available, not "too many open files"."""

    def find_spec(self, fullname: str, _path: object = None, _target: object = None) -> None:
        """Raise ModuleNotFoundError for every top-level module; submodules get the usual error."""
        if "." not in fullname:
            raise ModuleNotFoundError(
                f"No module named {fullname!r}: a program here can import torch, numpy and modules of the standard "
                "library that need no files, network or processes",
                name=fullname,
            )


def close_imports() -> None:
    """Remove the finders that look for modules on disk."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not PathFinder]
    sys.meta_path.append(NotPreloaded())
    sys.path[:] = []
    sys.path_importer_cache.clear()
