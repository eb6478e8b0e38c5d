"""Protects previews: a lesson is checked again when it was saved, and its faults are given until they are mended."""

from __future__ import annotations

import asyncio
import os

import pytest

from backscope_server.command.lesson_commands import TEMPLATE
from backscope_server.lessons import lesson_file, preview
from backscope_server.lessons.preview import Preview
from backscope_server.lessons.shelf import NotSolved

MISSING = "The file cannot be read: it is not there. Save the lesson again."


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "mine.md"
    found.write_text(TEMPLATE)
    return found


@pytest.fixture
def previewed(sandbox, limits):
    """Return a function that runs a coroutine function with a preview of a path."""

    def run(path, body):
        async def whole():
            shown = Preview(sandbox.launcher, limits, path)
            try:
                async with asyncio.timeout(300):
                    return await body(shown)
            finally:
                await shown.close()

        return sandbox.run(whole())

    return run


def faults(draft):
    assert draft.lesson is None
    return [(fault.line, fault.message) for fault in draft.faults]


def test_a_lesson_is_given_again_when_it_was_saved(previewed, path):
    async def body(shown):
        first = await shown.draft("mine")
        assert (first.file, first.faults) == (str(path), [])
        assert first.lesson == await shown.solved("mine")
        assert all(block.at.place for block in first.lesson.blocks if block.kind == "step")
        assert await shown.draft("mine", first.version) is None
        os.utime(path, (1, 1))
        assert await shown.draft("mine", first.version) is None

        path.write_text(TEMPLATE.replace("minutes: 3", "minutes: 4"))
        second = await shown.draft("mine", first.version)
        assert second.lesson.minutes == 4
        assert second.version != first.version
        assert shown.lessons["mine"].minutes == 4

    previewed(path, body)


def test_what_does_not_hold_is_given_with_its_line_until_it_is_mended(previewed, path):
    async def body(shown):
        path.write_text(TEMPLATE.replace("after y is set", "after z is set").replace('"w.grad == 5"', '"w.grad == 3"'))
        broken = await shown.draft("mine")
        assert faults(broken) == [
            (20, "There is no moment 'after z is set'. The run has: x is set, w is set, y is set."),
            (31, "`w.grad == 3` is true already in the program as it is: nothing is to be changed."),
        ]
        with pytest.raises(NotSolved, match=r"mine\.md:20: There is no moment"):
            await shown.solved("mine")
        path.write_text(TEMPLATE.replace(":::{step}", ":::{stop}"))
        misspelt = await shown.draft("mine", broken.version)
        assert [line for line, _ in faults(misspelt)] == [20]
        assert shown.lessons == {}
        path.write_text(TEMPLATE)
        assert (await shown.draft("mine", misspelt.version)).faults == []

    previewed(path, body)


def test_a_file_that_is_gone_or_no_file_is_said_until_it_is_back(previewed, path):
    async def body(shown):
        first = await shown.draft("mine")
        path.unlink()
        gone = await shown.draft("mine", first.version)
        assert faults(gone) == [(None, MISSING)]
        assert await shown.draft("mine", gone.version) is None
        # A pipe is never opened: that would wait for its writer.
        os.mkfifo(path)
        assert await shown.draft("mine", gone.version) is None
        path.unlink()
        path.write_text(TEMPLATE)
        assert (await shown.draft("mine", gone.version)).version == first.version

    previewed(path, body)


def test_a_file_that_is_too_large_is_refused_by_its_size(previewed, path):
    async def body(shown):
        path.write_text(TEMPLATE + "x" * lesson_file.MOST_BYTES)
        assert faults(await shown.draft("mine")) == [
            (1, "The file has too many bytes; 1,048,576 are the most for a lesson: make two of it.")
        ]

    previewed(path, body)


@pytest.mark.parametrize("half", [TEMPLATE[:200], "", None])
def test_a_file_that_is_being_saved_is_read_when_it_is_whole(previewed, path, monkeypatch, half):
    """Some editors empty or remove a file before they write it."""
    whole = TEMPLATE.replace("minutes: 3", "minutes: 5")
    looks = 0
    look = preview._version

    def saving(file):
        nonlocal looks
        looks += 1
        if looks == 1:
            path.unlink() if half is None else path.write_text(half)
        elif looks == 3:
            path.write_text(whole)
        return look(file)

    async def body(shown):
        first = await shown.draft("mine")
        monkeypatch.setattr(preview, "_version", saving)
        monkeypatch.setattr(preview, "_SAME_LOOKS", 4)
        assert (await shown.draft("mine", first.version)).lesson.minutes == 5

    previewed(path, body)


def test_a_check_of_an_older_version_is_ended_and_its_reader_gets_the_newer_one(previewed, path):
    async def body(shown):
        path.write_text(TEMPLATE.replace("y.backward()\n", "y.backward()\nwhile True: pass\n", 1))
        waiting = asyncio.create_task(shown.draft("mine"))
        while "mine" not in shown._checking:
            await asyncio.sleep(0.01)
        endless = shown._checking["mine"].task
        await asyncio.sleep(0)  # The check begins, and has read the file, before the file is written again.
        path.write_text(TEMPLATE)
        assert (await shown.draft("mine")).faults == []
        assert (await waiting).faults == []
        assert endless.cancelled()

    previewed(path, body)


def test_the_lessons_of_a_folder_are_those_that_are_in_it_now(previewed, path):
    other = path.with_name("other.md")

    async def body(shown):
        assert list(shown.lessons) == ["mine"]
        with pytest.raises(KeyError):
            await shown.draft("other")
        other.write_text(TEMPLATE.replace("minutes: 3", "minutes: 3\nneeds: [mine]"))
        assert list(shown.lessons) == ["mine", "other"]
        draft = await shown.draft("other")
        assert draft.faults == []
        other.unlink()
        assert faults(await shown.draft("other", draft.version)) == [(None, MISSING)]
        with pytest.raises(KeyError):
            await shown.draft("../mine")

    previewed(path.parent, body)


def test_a_folder_of_a_hundred_lessons_takes_the_work_of_those_that_were_saved(previewed, path, monkeypatch):
    """Files are parsed again when they were saved, and the checks of a few lessons are kept."""
    folder = path.parent
    path.unlink()
    words = "---\ntitle: Title {0}\ngoal: Say {0}\nlearned: That {0}.\nminutes: 3\n---\nIt is {0}.\n"
    names = [f"lesson_{number:03}" for number in range(100)]
    for number, name in enumerate(names):
        (folder / f"{name}.md").write_text(words.format(number))
    parsed = []
    read = lesson_file.read
    monkeypatch.setattr(lesson_file, "read", lambda one: parsed.append(one.stem) or read(one))

    async def body(shown):
        assert list(shown.lessons) == names
        assert parsed == names
        parsed.clear()
        assert list(shown.lessons) == names
        (folder / "lesson_007.md").write_text(words.format("another one"))
        (folder / "lesson_008.md").write_text("no lesson")
        assert shown.lessons["lesson_007"].title == "Title another one"
        assert "lesson_008" not in shown.lessons
        assert parsed == ["lesson_007", "lesson_008"]
        drafts = await asyncio.gather(*(shown.draft(name) for name in names))
        assert [draft.lesson.title for draft in drafts[:3]] == ["Title 0", "Title 1", "Title 2"]
        assert drafts[8].lesson is None
        for name in names[50:80]:
            await shown.draft(name)
        assert len(shown._checking) == preview._MOST_CHECKED
        # One whose check was dropped waits for another version as before.
        assert await shown.draft("lesson_003", drafts[3].version) is None

    previewed(folder, body)


def test_a_lesson_beside_the_previewed_one_is_not_shown(previewed, path):
    async def body(shown):
        assert list(shown.lessons) == ["mine"]
        with pytest.raises(KeyError):
            await shown.draft("other")

    path.with_name("other.md").write_text(TEMPLATE)
    previewed(path, body)
