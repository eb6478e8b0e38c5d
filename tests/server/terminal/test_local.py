"""Protects `backscope run`: its output and exit status are those of Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from backscope.protocol import trace

PROGRAMS = {
    "prints": "import sys\nprint('one', 2)\nprint('no newline', end='')\nsys.stderr.write('to stderr\\n')\n",
    "unicode": "print('naïve → 数')\n",
    "nothing": "",
    "raises": "def f(x):\n    if x:\n        raise ValueError('bad')\nprint('before')\nf(1)\n",
    "syntax": "x = 1\nif x\n    print(x)\n",
    "indent": "def f():\nreturn 1\n",
    "arguments": "import sys\nprint(sys.argv[1:], __name__)\n",
    "exits": "import sys\nprint('a')\nsys.exit(3)\n",
    "exits with a text": "import sys\nsys.exit('that was it')\n",
    "exits with nothing": "import sys\nsys.exit()\n",
    "recursion": "def f(n):\n    return f(n - 1) if n else 1 / n\nf(20)\n",
    "one repeat": "def f(n):\n    return f(n - 1) if n else 1 / n\nf(3)\n",
    "warns": "import warnings\nprint('a')\nwarnings.warn('mind')\nwarnings.warn('x', FutureWarning)\n",
    "chained": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\nprint('handled')\n",
}


def run(command, path):
    return subprocess.run(
        [sys.executable, *command, str(path), "a", "--b"], capture_output=True, text=True, timeout=60, check=False
    )


def without_carets(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if set(line.strip()) - set("^~"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_and_status_are_those_of_python(tmp_path, name):
    path = tmp_path / "program.py"
    path.write_text(PROGRAMS[name], encoding="utf-8")
    ours, pythons = run(["-m", "backscope_server", "run"], path), run([], path)
    assert ours.stdout == pythons.stdout
    assert without_carets(ours.stderr) == without_carets(pythons.stderr)
    assert ours.returncode == pythons.returncode


def test_a_deep_recursion_is_shown_from_its_call_on(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("def f(n):\n    return f(n - 1) if n else 1 / n\nf(200)\n")
    shown = run(["-m", "backscope_server", "run"], path).stderr.splitlines()
    assert shown[1:3] == [f'  File "{path}", line 3, in <module>', "    f(200)"]
    assert "  [152 frames left out]" in shown
    assert "  [Previous line repeated many more times]" in shown and len(shown) < 16


def test_functions_that_call_one_another_are_shown_once(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "def even(n):\n    return odd(n - 1) if n else 1 / n\ndef odd(n):\n    return even(n - 1) if n else 1 / n\n"
        "even(DEPTH)\n"
    )
    text = path.read_text()
    path.write_text(text.replace("DEPTH", "20"))
    shown = run(["-m", "backscope_server", "run"], path).stderr.splitlines()
    assert "  [Previous 2 frames repeated 9 more times]" in shown and len(shown) == 11
    path.write_text(text.replace("DEPTH", "200"))
    shown = run(["-m", "backscope_server", "run"], path).stderr.splitlines()
    assert "  [152 frames left out]" in shown
    assert "  [Previous 2 frames repeated many more times]" in shown and len(shown) == 12


def test_a_neighbouring_file_can_be_imported(tmp_path):
    (tmp_path / "neighbour.py").write_text("value = 7\n")
    (tmp_path / "program.py").write_text("import neighbour\nprint(neighbour.value)\n")
    assert run(["-m", "backscope_server", "run"], tmp_path / "program.py").stdout == "7\n"


def test_a_trace_is_recorded_even_of_an_error(tmp_path):
    path, out = tmp_path / "program.py", tmp_path / "out.backscope"
    path.write_text("print('x')\nraise ValueError('y')\n")
    assert run(["-m", "backscope_server", "run", "--seed", "5", "--trace", str(out)], path).returncode == 1
    lines = list(trace.read(out))
    assert b'"seed":5' in lines[0]
    assert b"program_finished" in lines[-1]


def test_a_missing_file_is_an_error(tmp_path):
    found = run(["-m", "backscope_server", "run"], tmp_path / "no.py")
    assert found.returncode == 2
    assert "no.py: No such file" in found.stderr


def test_a_recording_that_cannot_be_written_is_saved_elsewhere(tmp_path):
    path, out = tmp_path / "program.py", tmp_path / "out.backscope"
    path.write_text("print('x')\n")
    out.write_bytes(b"what was there before")
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
    limited += "from backscope_server.command.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", limited, "run", "--trace", str(out), str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 2
    assert f"cannot write {out}: File too large" in done.stderr
    assert out.read_bytes() == b"what was there before"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["out.backscope", "program.py"]

    done = run(["-m", "backscope_server", "run", "--trace", "/dev/full"], path)
    assert done.returncode == 2
    assert "cannot write /dev/full: No space left on device" in done.stderr
    found = re.search(r"recorded \d+ events in (\S+) instead", done.stderr)
    assert found is not None
    rescued = Path(found[1])
    assert b"program_finished" in list(trace.read(rescued))[-1]
    rescued.unlink()
    rescued.parent.rmdir()
