"""Imports each module of Backscope where only what it imports itself is loaded; prints which fail, and why.

A process that has loaded one module forks another for each that imports it, so that little is loaded twice.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import ml_dtypes  # noqa: F401 - the packages are there already
import msgspec  # noqa: F401
import numpy as np  # noqa: F401
import orjson  # noqa: F401

FOLDER = Path(__file__).parents[2] / "engine" / "backscope"


def modules() -> dict[str, Path]:
    """The files of all modules by their names, but for those that need PyTorch itself."""
    found = {}
    for file in sorted(FOLDER.rglob("*.py")):
        parts = file.relative_to(FOLDER.parent).with_suffix("").parts
        if parts[1] == "pytorch":
            continue
        found[".".join(part for part in parts if part != "__init__")] = file
    return found


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What runs when a module is imported: not the bodies of functions, nor what is for type checkers alone."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from statements(statement.orelse)
            continue
        yield statement
        for inner in ("body", "orelse", "finalbody"):
            yield from statements(getattr(statement, inner, []))
        for handler in getattr(statement, "handlers", []):
            yield from statements(handler.body)


def imported(name: str, file: Path, known: dict[str, Path]) -> set[str]:
    """The modules of Backscope that a module imports, with the packages that they are in."""
    found = {name.rpartition(".")[0]}
    for statement in statements(ast.parse(file.read_text("utf-8")).body):
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module is not None:
            found |= {statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)}
    outer = {name.rsplit(".", n)[0] for name in found for n in range(name.count(".") + 1)}
    return ((found | outer) & known.keys()) - {name}


def closure(name: str, direct: dict[str, set[str]]) -> frozenset[str]:
    """What is loaded with a module, itself among it."""
    found = {name}
    waiting = [name]
    while waiting:
        new = direct[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found)


def visit(name: str, below: dict[str, list[str]], failures: int) -> None:
    """Import a module in a process of its own, and those that go on from there in processes that fork from it."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        importlib.import_module(name)
        os.write(failures, f"1 {name}\n".encode())
    except BaseException:
        os.write(failures, f"0 {name} {traceback.format_exc()[-400:]!r}\n".encode())
    for further in below.get(name, []):
        visit(further, below, failures)
    os._exit(0)


def main() -> None:
    """Print a line for each module: 1 and its name, or 0, its name and the error."""
    sys.setrecursionlimit(10_000)
    known = modules()
    direct = {name: imported(name, file, known) for name, file in known.items()}
    loaded = {name: closure(name, direct) for name in known}
    below: dict[str, list[str]] = {}
    for name in known:
        # Of what is loaded before the module itself: its package, and what does not import it in turn.
        parents = [other for other in loaded[name] if name not in loaded[other] or name.startswith(f"{other}.")]
        below.setdefault(max(parents, key=lambda other: (len(loaded[other]), other), default=""), []).append(name)
    for name in below[""]:
        visit(name, below, 1)


if __name__ == "__main__":
    main()
