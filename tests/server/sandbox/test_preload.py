"""Protects that a program can import what its author may expect, although its process opens no file."""

from __future__ import annotations

from pathlib import Path

import pytest

import backscope

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
    )
    session = sandbox.finish(source)
    assert session.status == "ok", log_of(session)[-2]


def test_every_module_of_the_engine_is_loaded(sandbox, log_of):
    folder = Path(backscope.__path__[0])
    files = [file.relative_to(folder).with_suffix("") for file in folder.rglob("*.py") if file.stem != "__init__"]
    names = {".".join(["backscope", *file.parts]) for file in files}
    events = log_of(sandbox.finish(f"import sys\nprint(sorted({names!r} - set(sys.modules)))\n"))
    assert "".join(event["text"] for event in events if event["kind"] == "output_printed") == "[]\n"


def test_a_program_compiles_no_op(sandbox, log_of):
    source = (
        "from backscope.ops.declaration import primitives\n"
        "waiting = [op for op in primitives.values() if (op.whole or op.formulas) and not op.plans]\n"
        "print(len(primitives) > 300, [op.name for op in waiting])\n"
    )
    events = log_of(sandbox.finish(source))
    assert next(event["text"] for event in events if event["kind"] == "output_printed") == "True []\n"
