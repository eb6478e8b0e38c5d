"""The folder of the recordings of a run of tests: its files, and those of the run before it."""

from __future__ import annotations

from pathlib import Path

NAME = ".recorded"
"""The file of a folder that has the names of those that the plugin wrote, one a line; others are somebody else's."""


def note(folder: Path, name: str) -> Path:
    """Return the path of a file that is about to be written into a folder; the next run removes it.

    Raises: OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / NAME).open("ab") as file:
        # One write: processes of one run write to it side by side.
        file.write(f"{name}\n".encode())
    return folder / name


def empty(folder: Path) -> None:
    """Remove what a run before this one wrote into a folder.

    Raises: OSError.
    """
    noted = folder / NAME
    if not noted.is_file():
        return
    for name in noted.read_text(encoding="utf-8").splitlines():
        if name == Path(name).name:
            (folder / name).unlink(missing_ok=True)
    noted.unlink()
