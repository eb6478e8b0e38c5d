"""Records the golden event streams: each example of the page, run by the engine, as JSON lines.

    python tests/golden/record.py

With them goes `sentences/ops.json`, what the catalogue says of all ops: the sentences of the steps, which
the page's tests record (`npx vitest run src/caption/golden.test.ts -u` in the folder web), take their verbs from it,
and the sums of the steps their formulas.
The streams are read by pytest and by vitest; record them again when the protocol or the engine's events change on
purpose, and read the difference before committing it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from backscope.ops.names.all import catalogue
from backscope.program.runner import run
from backscope.protocol import commands
from backscope.protocol.transport import Script

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "server" / "backscope_server" / "examples"
SCENARIOS = HERE / "programs"
BESIDE = SCENARIOS / "beside"
"""Modules that programs import."""


MODELS = {"50_scalar_mlp", "51_lstm", "52_resnet18", "53_gpt"}
"""Examples whose streams are too long to keep."""


def programs() -> Iterator[tuple[str, str]]:
    """Return the name and source of every program that has a golden stream."""
    for path in sorted([*EXAMPLES.glob("*.py"), *SCENARIOS.glob("*.py")]):
        if path.stem in MODELS:
            continue
        yield path.stem, re.sub(r"\A(# (title|summary):.*\n)+\n?", "", path.read_text("utf-8"))


def script(source: str) -> Script | None:
    """Return the debugger's commands that the first line of a program names: lines to stop at, steps, assignments."""
    found = re.match(r"# stops at lines ([\d, ]+), then steps: (.*)\n", source)
    if found is None:
        return None
    lines = [commands.LineBreakpoint(id=int(line), line=int(line)) for line in found[1].split(",")]
    then = [_command(number, word) for number, word in enumerate(found[2].split(), 1)]
    return Script([commands.SetBreakpoints(id=0, breakpoints=lines)], then)


def _command(number: int, word: str) -> commands.Command:
    target, _, expression = word.partition("=")
    if expression:
        return commands.Assign(id=number, target=target, expression=expression)
    return msgspec.convert({"command": "step", "id": number, "to": word}, commands.Step)


def stream(source: str) -> list[str]:
    """Return the event stream of a program without the versions of Python and numpy, which differ between machines."""
    written: list[bytes] = []
    sys.path.insert(0, str(BESIDE))
    try:
        run(source, written.append, transport=script(source), folder=str(BESIDE))
    finally:
        sys.path.remove(str(BESIDE))
    lines = b"".join(written).decode().splitlines()
    first = json.loads(lines[0])
    first["versions"] = {k: v for k, v in first["versions"].items() if k in ("backscope", "torch")}
    return [json.dumps(first, separators=(",", ":"), ensure_ascii=False), *lines[1:]]


def ops() -> str:
    """Return what the catalogue says of each op, as JSON with a line for each."""
    kept = [
        {key: entry[key] for key in ("name", "grad_fn", "elementwise", "latex", "conjugates", "summary")}
        for entry in catalogue()
    ]
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in kept) + "\n]\n"


def main() -> None:
    """Write all streams."""
    for name, source in programs():
        lines = stream(source)
        (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        print(f"{name:<28}{len(lines):>7} events", file=sys.stderr)
    (HERE / "sentences" / "ops.json").write_text(ops(), "utf-8")


if __name__ == "__main__":
    main()
