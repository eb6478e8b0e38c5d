"""Which files belong to the user's program: those near it that are no installed package."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

from backscope.runtime.version import __file__ as _version_file

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_NOT_OWN = tuple(
    f"{os.path.realpath(folder)}{os.sep}"
    for folder in (
        sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), Path(_version_file).parents[1],
    )
)  # fmt: skip
"""The folders of Python's own modules and of Backscope's."""


class OwnFiles:
    """Recognizes files inside of the program's `folders`; their names are relative to the first of these."""

    def __init__(self, *folders: str) -> None:
        self._folders = [os.path.realpath(folder) for folder in dict.fromkeys(folders)]

    @property
    def folder(self) -> str:
        """The folder that names begin from."""
        return self._folders[0]

    def name(self, path: str) -> str | None:
        """Return the name of a file of the program, with "/" between folders; None for any other file."""
        if not path.endswith(".py") or not os.path.isabs(path):
            return None
        real = os.path.realpath(path)
        if real.startswith(_NOT_OWN) or not _INSTALLED.isdisjoint(Path(real).parts):
            return None
        if not any(real.startswith(os.path.join(folder, "")) for folder in self._folders):
            return None
        return os.path.relpath(real, self._folders[0]).replace(os.sep, "/")
