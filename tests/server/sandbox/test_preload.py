"""Protects that a program can import what its author may expect, although its process opens no file."""

from __future__ import annotations

import pytest

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
