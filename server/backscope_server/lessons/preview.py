"""The lessons of an author while they are written: each is checked again when its file has changed."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from backscope_server.lessons import checking, lesson_file
from backscope_server.lessons.lesson import Lesson
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.shelf import NotSolved, Shelf
from backscope_server.sandbox.limits import Limits
from backscope_server.session.running import Runner

_SAVING_SECONDS = 0.1
"""The time between two looks at a file that may be half-written."""
_SAME_LOOKS = 2
"""The looks in a row at which a changed file is the same before it is read as saved."""
_SAME_LOOKS_AT_NOTHING = 6
"""The looks in a row for a file that is missing or empty: some editors leave it so for a moment while they save."""
_MOST_LOOKS = 50
"""The looks after which a file that keeps changing is read as it is."""
_MISSING = "missing"
"""The version of a file that cannot be read."""
_EMPTY = hashlib.sha256(b"").hexdigest()
_MOST_CHECKED = 20
"""The lessons whose last check is kept; another one is checked again when it is opened."""


class LessonFault(BaseModel):
    """A fault of a lesson, at a line of its file; `line` is None where the file cannot be read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    line: int | None
    message: str


class LessonDraft(BaseModel):
    """A lesson as its file is now: the lesson with its answers, or the faults for which it cannot be shown.

    `version` changes with the content of the file, whose path is `file`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    file: str
    lesson: Lesson | None
    faults: list[LessonFault]


class _Checking(NamedTuple):
    version: str
    task: asyncio.Task[LessonDraft]


class _Parsed(NamedTuple):
    saved: tuple[int, int] | None
    """When the file was saved, in nanoseconds, and its bytes; None for one that cannot be read."""
    lesson: Lesson | None


class Preview(Shelf):
    """The lessons in a file or a folder, read from the disk for each request, and checked when they have changed."""

    def __init__(self, runner: Runner, limits: Limits, path: Path) -> None:
        super().__init__(runner, limits, [])
        self._path = path
        self._folder = path.is_dir()
        self._checking: dict[str, _Checking] = {}
        """The last checks, by the names of the lessons; those that were wanted last are at the end."""
        self._shown: set[str] = set()
        self._parsed: dict[str, _Parsed] = {}

    @property
    def lessons(self) -> dict[str, Lesson]:
        """The lessons that can be parsed, in their order; a file is read again when it was saved since."""
        self._parsed = {name: self._parse(name, path) for name, path in self._files().items()}
        return {name: parsed.lesson for name, parsed in self._parsed.items() if parsed.lesson is not None}

    def _parse(self, name: str, path: Path) -> _Parsed:
        try:
            state = path.stat()
            saved = (state.st_mtime_ns, state.st_size)
            known = self._parsed.get(name)
            if known is not None and known.saved == saved:
                return known
            return _Parsed(saved, lesson_file.read(path))
        except OSError:
            return _Parsed(None, None)
        except LessonError:
            return _Parsed(saved, None)

    async def solved(self, name: str) -> Lesson:
        """Return a lesson with its moments and answers.

        Raises: KeyError where there is none of that name; NotSolved.
        """
        draft = await self.draft(name)
        assert draft is not None
        if draft.lesson is None:
            fault = draft.faults[0]
            where = draft.file if fault.line is None else f"{draft.file}:{fault.line}"
            raise NotSolved(f"{where}: {fault.message}")
        return draft.lesson

    async def draft(self, name: str, after: str | None = None) -> LessonDraft | None:
        """Return a lesson as its file is now, None where that is the version `after`.

        Raises: KeyError where there is none of that name.
        """
        path = self._files()[name]
        known = self._checking.get(name)
        while True:
            version = await _saved(path, after if known is None else known.version)
            if version == after:
                return None
            known = self._at(name, path, version)
            await asyncio.wait([known.task])
            self._drop_ended()
            if not known.task.cancelled():
                return known.task.result()

    async def close(self) -> None:
        """End the checks that are under way."""
        tasks = [known.task for known in self._checking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().close()

    def _files(self) -> dict[str, Path]:
        if not self._folder:
            return {self._path.stem: self._path}
        # A file that was shown and is gone may come back.
        shown = {name: self._path / f"{name}.md" for name in list(self._shown)}
        return {path.stem: path for path in lesson_file.paths(self._path)} | shown

    def _at(self, name: str, path: Path, version: str) -> _Checking:
        """Return the check of a version of a file; one of an earlier version is ended."""
        known = self._checking.pop(name, None)
        if known is not None:
            self._checking[name] = known
            failed = known.task.done() and (known.task.cancelled() or known.task.exception() is not None)
            if known.version == version and not failed:
                return known
            known.task.cancel()
        task = asyncio.create_task(self._check(path, version), name=f"preview {name}")
        self._checking[name] = found = _Checking(version, task)
        self._shown.add(name)
        return found

    def _drop_ended(self) -> None:
        """Keep the checks that were wanted last, and those under way."""
        ended = [one for one, checked in self._checking.items() if checked.task.done()]
        for one in ended[: max(0, len(self._checking) - _MOST_CHECKED)]:
            del self._checking[one]

    async def _check(self, path: Path, version: str) -> LessonDraft:
        lesson: Lesson | None = None
        try:
            if version == _MISSING and not path.exists():
                raise FileNotFoundError(2, "it is not there")
            async with self._turn:
                checked = await checking.check(path, self._runs)
        except OSError as error:
            faults = [
                LessonFault(line=None, message=f"The file cannot be read: {error.strerror}. Save the lesson again.")
            ]
        else:
            faults = [LessonFault(line=fault.line, message=str(fault)) for fault in checked.faults]
            if not faults and checked.solved is not None:
                lesson = checked.solved.lesson
        return LessonDraft(version=version, file=str(path), lesson=lesson, faults=faults)


async def _saved(path: Path, before: str | None) -> str:
    """Return the version of a file: at once if it is `before`, otherwise when it has not changed for some looks."""
    version = _version(path)
    same = 1
    for _ in range(_MOST_LOOKS):
        wanted = _SAME_LOOKS_AT_NOTHING if version in (_MISSING, _EMPTY) else _SAME_LOOKS
        if version == before or same >= wanted:
            break
        await asyncio.sleep(_SAVING_SECONDS)
        found = _version(path)
        same = same + 1 if found == version else 1
        version = found
    return version


def _version(path: Path) -> str:
    """Return a hash of a file's content, of one that is too large of its beginning; _MISSING if it cannot be read."""
    try:
        if not path.is_file():  # Opening a pipe would wait for its writer.
            return _MISSING
        with path.open("rb") as file:
            content = file.read(lesson_file.MOST_BYTES + 1)
    except OSError:
        return _MISSING
    return hashlib.sha256(content).hexdigest()
