"""Programs in processes of their own, in which none has run before: they fork from one that has loaded the engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import backscope

_FORKING = """
import json, os, sys, traceback
from backscope import torch
from backscope.program import runner
failed = {}
for name, program in json.load(sys.stdin).items():
    said, say = os.pipe()
    child = os.fork()
    if not child:
        os.close(said)
        try:
            exec(compile(program, name, "exec"), {"__name__": "program"})
        except BaseException:
            os.write(say, traceback.format_exc()[-4000:].encode())
            os._exit(1)
        os._exit(0)
    os.close(say)
    with os.fdopen(said) as reader:
        text = reader.read()
    if os.waitpid(child, 0)[1]:
        failed[name] = text or "it ended without a traceback"
print(json.dumps(failed))
"""


def failures(programs: dict[str, str]) -> dict[str, str]:
    """The tracebacks of the programs that raise, by their names; they find `backscope.program.runner` loaded."""
    ran = subprocess.run(
        [sys.executable, "-c", _FORKING],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(backscope.__path__[0]).parent,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, str] = json.loads(ran.stdout)
    return found
