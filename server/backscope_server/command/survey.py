"""`backscope sandbox`: tests the layers of the sandbox on this system and prints which of them work."""

from __future__ import annotations

import asyncio
import sys
import textwrap

from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.sandbox.layers.layer import Layer, lacking
from backscope_server.settings import Settings

_WIDTH = 110


def find(settings: Settings) -> list[Layer]:
    """Start the process that programs are forked from, have it test every layer, and end it; return the results.

    Raises: SandboxError where no program can be run at all.
    """

    print("Testing each layer of the sandbox; this takes a few seconds.", file=sys.stderr, flush=True)

    async def ask() -> list[Layer]:
        launcher = Launcher(limited=settings.limited, thorough=True)
        await launcher.start()
        await launcher.close()
        return launcher.layers

    return asyncio.run(ask())


def table(layers: list[Layer]) -> str:
    """Format the layers as a table: whether each works here, the result of its test, and what to do if not."""
    width = max(len(layer.name) for layer in layers)
    lines: list[str] = []
    for layer in layers:
        found = f"{layer.found}. {layer.remedy}" if layer.remedy else layer.found
        head = f"{'works' if layer.works else 'MISSING':8} {layer.name:{width}}  "
        lines += textwrap.wrap(found, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
    return "\n".join(lines)


def refusal(reasons: list[str]) -> str:
    """Return the message of a public server that does not start for these reasons."""
    return "\n".join(
        [
            "Backscope does not start as a public server here, because its sandbox is not complete:",
            *(f"- {reason}" for reason in reasons),
            "`backscope sandbox` shows every layer. Without --public the server serves this machine only.",
        ]
    )


def why_not_public(settings: Settings) -> str | None:
    """Return why untrusted programs cannot be run here, None where they can."""
    try:
        reasons = lacking(find(settings))
    except SandboxError as error:
        reasons = [str(error)]
    return refusal(reasons) if reasons else None


def report(settings: Settings) -> int:
    """Print the table, and whether a public server starts here; return the exit status, 1 if not."""
    try:
        layers = find(settings)
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    print(table(layers))
    reasons = lacking(layers)
    enough = "The sandbox suffices for untrusted programs: `backscope serve --public` starts on this system."
    print("\n" + (refusal(reasons) if reasons else enough))
    return 1 if reasons else 0
