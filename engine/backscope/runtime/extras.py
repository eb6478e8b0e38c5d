"""What comes with the extras of the package, and the sentence that names the one that is missing."""

from __future__ import annotations

from importlib.util import find_spec

_SERVER = ("fastapi", "uvicorn", "pydantic", "pydantic_settings", "websockets", "psutil", "platformdirs", "orjson")

EXTRAS: dict[str, tuple[str, ...]] = {
    "server": _SERVER,
    "fleet": (*_SERVER, "redis", "obstore"),
    "notebook": ("anywidget", "IPython"),
    "pytorch": ("torch",),
}
"""The modules that each extra brings, but those for which there is a substitute."""


def why_missing(what: str, extra: str) -> str | None:
    """Return a sentence that says which extra `what` needs; None where the extra is installed."""
    if all(find_spec(module) for module in EXTRAS[extra]):
        return None
    return f"{what} needs the extra `{extra}`: pip install 'backscope[{extra}]'"
