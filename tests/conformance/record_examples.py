"""Records what the page's examples print on the real PyTorch.

    python tests/conformance/record_examples.py

Needs PyTorch 2.13.0 in the environment; writes examples.json beside this file.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "server" / "backscope_server" / "examples"
RECORDED = HERE / "examples.json"


def programs() -> Iterator[tuple[str, str]]:
    """Return the name and source of every example, without the comment lines of its title and summary."""
    for path in sorted(EXAMPLES.glob("*.py")):
        yield path.stem, re.sub(r"\A(# (title|summary):.*\n)+\n?", "", path.read_text("utf-8"))


def normal(text: str) -> str:
    """Return the text with all object addresses alike."""
    return re.sub(r"0x[0-9a-f]+", "0x...", text)


def printed(source: str) -> dict[str, str]:
    """Return what a program prints on PyTorch: stdout, and the last line of an exception that ends it."""
    import torch

    torch.manual_seed(0)
    stdout = io.StringIO()
    error = ""
    with contextlib.redirect_stdout(stdout), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "program.py", "exec"), {"__name__": "__main__"})
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}".splitlines()[-1]
    return {"stdout": normal(stdout.getvalue()), "error": normal(error)}


def recording() -> dict[str, dict[str, str]]:
    """Return what every example prints."""
    return {name: printed(source) for name, source in programs()}


def main() -> None:
    """Write what every example prints."""
    RECORDED.write_text(json.dumps(recording(), indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
