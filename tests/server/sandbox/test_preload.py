"""Protects the imports of programs: what an author may expect can be imported, although no file can be opened."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.util import resolve_name
from pathlib import Path

import pytest

import backscope
from backscope_server.sandbox.zygote_process import import_path

NAMES = [
    "torch", "torch.nn.functional", "numpy", "numpy.linalg", "math", "random", "json", "dataclasses", "collections.abc",
    "functools", "typing", "datetime", "contextlib", "re", "copy", "statistics",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_can_be_imported(sandbox, log_of, name):
    session = sandbox.finish(f"import {name}\n")
    assert session.status == "ok", log_of(session)[-2]


def test_what_the_standard_library_imports_late_is_there(sandbox, log_of):
    source = (
        "import datetime, time, traceback, warnings, pprint\n"
        "datetime.datetime.strptime('2026', '%Y')\n"
        "'\\N{GREEK SMALL LETTER ALPHA}'.encode('utf-16').decode('utf-16')\n"
        "warnings.warn('careful')\n"
        "try: 1 / 0\nexcept ZeroDivisionError: traceback.print_exc()\n"
        "pprint.pprint({'a': 1})\n"
        "import ast, random, unittest\n"
        "assert ast.unparse(ast.parse('a  +  b')) == 'a + b'\n"
        "random.seed('words')\n"
        "try: compile('fro i in x:\\n    pass', '', 'exec')\nexcept SyntaxError: traceback.print_exc()\n"
        "with unittest.TestCase().assertNoLogs(): pass\n"
    )
    session = sandbox.finish(source)
    assert session.status == "ok", log_of(session)[-2]


LATE = {
    "files, network and processes": "doctest grp socket tarfile urllib.error urllib.request unittest.async_case",
    "other systems": "_aix_support _ios_support _osx_support _winapi _winreg java.lang nt plistlib vms_lib winreg",
    "what is done without, or in another way": "_md5 _sha1 _sha2 _sha256 _sha3 tracemalloc",
}
"""What functions of the standard modules import that a program cannot have, by what it would be for."""


def _imported_late(file: str, package: str) -> set[str]:
    """Return the modules that functions of a file import."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    statements = [statement for function in functions for statement in ast.walk(function)]
    found = {alias.name for statement in statements if isinstance(statement, ast.Import) for alias in statement.names}
    return found | {
        resolve_name("." * statement.level + (statement.module or ""), package)
        for statement in statements
        if isinstance(statement, ast.ImportFrom)
    }


def test_what_functions_of_the_standard_modules_import_is_loaded():
    """Functions import other modules on each Python, which a child cannot load when they are called."""
    script = (
        f"import json, sys; sys.path[:0] = {import_path()!r}\n"
        "from backscope_server.sandbox import preload\n"
        "preload.load('backscope.program.runner')\n"
        "standard = {name: sys.modules[name] for name in preload.STANDARD.split() if name in sys.modules}\n"
        "files = {name: [getattr(m, '__file__', None), m.__package__] for name, m in standard.items()}\n"
        "print(json.dumps([list(sys.modules), files]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    loaded, files = json.loads(done.stdout)
    late = {
        name: module
        for module, (file, package) in files.items()
        if file is not None and file.endswith(".py")
        for name in _imported_late(file, package or "")
    }
    assert len(late) > 20
    without = {name for names in LATE.values() for name in names.split()}
    missing = {name: of for name, of in late.items() if name not in {*loaded, *sys.builtin_module_names, *without}}
    assert missing == {}, "add these to preload.STANDARD, or to LATE where no program can have them"


def test_every_module_of_the_engine_is_loaded_but_those_for_pytorch_itself(sandbox, log_of):
    folder = Path(backscope.__path__[0])
    files = [file.relative_to(folder).with_suffix("") for file in folder.rglob("*.py") if file.stem != "__init__"]
    names = {".".join(["backscope", *file.parts]) for file in files if file.parts[0] != "pytorch"}
    loaded = "sorted(one for one in sys.modules if one.startswith('backscope.pytorch'))"
    events = log_of(sandbox.finish(f"import sys\nprint(sorted({names!r} - set(sys.modules)), {loaded})\n"))
    assert "".join(event["text"] for event in events if event["kind"] == "output_printed") == "[] []\n"


def test_a_program_compiles_no_op(sandbox, log_of):
    source = (
        "from backscope.ops.core.declaration import primitives\n"
        "waiting = [op for op in primitives.values() if (op.whole or op.formulas) and not op.plans]\n"
        "print(len(primitives) > 300, [op.name for op in waiting])\n"
    )
    events = log_of(sandbox.finish(source))
    assert next(event["text"] for event in events if event["kind"] == "output_printed") == "True []\n"
