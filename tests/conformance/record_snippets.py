"""Records what the snippets in snippets/*.py do on the real PyTorch.

    python tests/conformance/record_snippets.py

Needs PyTorch 2.13.0 in the environment; writes snippets.json beside this file.  Snippets of a file are divided by
lines that begin with `# ---`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE / "snippets.json"


def snippets() -> Iterator[tuple[str, str]]:
    """Return the name and code of every snippet."""
    for path in sorted((HERE / "snippets").glob("*.py")):
        parts = re.split(r"^# ---.*\n", path.read_text("utf-8"), flags=re.MULTILINE)
        for number, code in enumerate((p for p in parts if p.strip()), 1):
            yield f"{path.stem}-{number}", code


def main() -> None:
    """Write what every snippet does."""
    import observation
    import torch

    found = {}
    for name, code in snippets():
        observation.prepare(torch)
        observed = observation.without_addresses(observation.observed(code, torch))
        found[name] = {"code": code, "observed": re.sub(r'File "[^"]*"', 'File ".."', observed)}
        observation.restore(torch)
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
