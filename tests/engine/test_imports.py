"""Every module of the engine can be imported, in the order in which the process that starts programs does it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import backscope

IMPORTS = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_modules_need_no_order() -> None:
    """By their names, in a fresh process: a module that counts on another to be there imports it."""
    folder = Path(backscope.__file__).parent
    parts = [file.relative_to(folder).with_suffix("").parts for file in sorted(folder.rglob("*.py"))]
    names = [".".join(["backscope", *(p for p in path if p != "__init__")]) for path in parts]
    ran = subprocess.run([sys.executable, "-c", IMPORTS, *names], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
