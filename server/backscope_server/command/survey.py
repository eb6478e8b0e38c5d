"""`backscope sandbox`: tests on this system what each layer of the sandbox has to stop, and prints the results."""

from __future__ import annotations

import asyncio
import sys
import textwrap

from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.sandbox.layers.layer import Layer, lacking
from backscope_server.settings import Settings

_WIDTH = 110


def find(settings: Settings) -> list[Layer]:
    """Start what programs would be started with, have it test itself thoroughly, and end it.

    Raises: SandboxError where nothing can be run at all.
    """

    print("Trying what each layer of the sandbox has to stop; this takes a few seconds.", file=sys.stderr, flush=True)

    async def ask() -> list[Layer]:
        launcher = Launcher(limited=settings.limited, thorough=True)
        await launcher.start()
        await launcher.close()
        return launcher.layers

    return asyncio.run(ask())


def table(layers: list[Layer]) -> str:
    """Return the layers as a table: whether each works here, the result of its test, and how to get it."""
    width = max(len(layer.name) for layer in layers)
    lines: list[str] = []
    for layer in layers:
        found = f"{layer.found}. {layer.remedy}" if layer.remedy else layer.found
        head = f"{'stands' if layer.stands else 'MISSING':8} {layer.name:{width}}  "
        lines += textwrap.wrap(found, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
    return "\n".join(lines)


def refusal(reasons: list[str]) -> str:
    """Return why a public server does not start."""
    return "\n".join(
        [
            "Backscope does not serve strangers here, because the sandbox around their programs is not complete:",
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
    """Print the table, and whether a public server would start; exit status 1 where it would not."""
    try:
        layers = find(settings)
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    print(table(layers))
    reasons = lacking(layers)
    print("\n" + (refusal(reasons) if reasons else "This is enough for strangers' programs: backscope serve --public"))
    return 1 if reasons else 0
