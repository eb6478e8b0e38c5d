"""Records a program on the engine and on PyTorch."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import random
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from backscope.program.runner import run

FILE = "program.py"

Events = list[dict[str, Any]]
"""The events of a run, as their JSON has them."""


def on_engine(source: str) -> Events:
    """Return the events of a program on the engine."""
    written: list[bytes] = []
    run(source, written.append, filename=FILE)
    return _decoded(b"".join(written).splitlines())


def on_pytorch(source: str) -> Events:
    """Return the events of a program on PyTorch, which is left as it was found."""
    torch = importlib.import_module("torch")
    importlib.import_module("torch._dynamo")  # PyTorch imports it when it is first needed: that takes seconds.
    pytorch = importlib.import_module("backscope.pytorch.recording")
    script = importlib.import_module("backscope.pytorch.script")
    recording = pytorch.TorchRecording()
    with _as_a_process_of_its_own(torch):
        script.run(FILE, source, recording)
    return _decoded(recording.lines)


def _decoded(lines: list[bytes]) -> Events:
    return [json.loads(line) for line in lines]


# Any: the module torch.
@contextlib.contextmanager
def _as_a_process_of_its_own(torch: Any) -> Iterator[None]:
    main, hook = sys.modules["__main__"], sys.excepthook
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    gc.disable()  # It would run at moments that depend on what ran before.
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(folder),  # Files below the folder that a program runs in are taken for its own.
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.resetwarnings()
            warnings.simplefilter("default")
            yield
    finally:
        gc.enable()
        sys.modules["__main__"], sys.excepthook = main, hook
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")
        torch.autograd.set_detect_anomaly(False)
        torch.set_default_device(None)
        torch.distributions.Distribution.set_default_validate_args(True)
