"""The commands for authors of lessons: `backscope lesson check`, `preview`, `export`, `new` and `format`."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from pathlib import Path

from backscope.player import page_template
from backscope.runtime.page_folder import NOT_BUILT
from backscope_server.lessons import checking, lesson_file
from backscope_server.lessons.checking import Checked
from backscope_server.lessons.lesson_runs import LessonRuns
from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.settings import Settings

TEMPLATE = """\
---
title: A product of two numbers
goal: Say which number the gradient of a product depends on
learned: The gradient of a product with respect to one factor is the other factor.
minutes: 3
---
Say in a sentence or three what the reader is about to see.

:::{program}
```python
import torch

x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = w * x
y.backward()
```
:::

:::{step} at="after y is set"
The product is made, and with it the node `MulBackward0`, which keeps both factors.
:::

:::{predict} at="after a pass" ask="w.grad"
What will `w.grad` be?
- if "w": That is `w` itself. The gradient says how much `y` grows when `w` grows.
- if "y": That is the product. Its slope in `w` is only one of the two factors.
- right: `y` grows by `x` for each 1 that `w` grows, and `x` is 3.
:::

:::{change} check="w.grad == 5"
Change one number so that `w.grad` becomes 5.
- if "x.grad == 5": Now it is `x.grad` that is 5. Which factor does `w.grad` depend on?
- right: `w.grad` is the other factor, `x`.
:::

:::{solution}
```python
import torch

x = torch.tensor(5.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = w * x
y.backward()
```
:::
"""
"""A new lesson: one block of each kind that most lessons have."""

_NAME = re.compile(r"\w{1,60}", re.ASCII)


def _no_name(name: str) -> str:
    return f"{name!r} is no name of a lesson: use letters, digits and _, as 03_broadcasting."


def check(given: list[Path], settings: Settings) -> int:
    """Check lessons and print what does not hold, with file and line; return the exit status."""
    status = 0

    def report(checked: Checked) -> None:
        nonlocal status
        if checked.faults:
            status = max(status, 1)
            _print_faults(checked)
        else:
            print(f"{checked.path}: {checked.summary}", flush=True)

    def unreadable(error: OSError) -> None:
        nonlocal status
        status = _failed(error)

    try:
        asyncio.run(_check(checking.files(given or [lesson_file.FOLDER]), settings, report, unreadable))
    except (OSError, SandboxError) as error:
        return _failed(error)
    return status


async def _check(
    paths: list[Path], settings: Settings, report: Callable[[Checked], None], unreadable: Callable[[OSError], None]
) -> None:
    """Check lessons one after the other; a file that cannot be read does not end it."""
    launcher = Launcher(limited=settings.limited)
    try:
        await launcher.start()
        async with LessonRuns(launcher, settings.limits()) as runs:
            for path in paths:
                try:
                    checked = await checking.check(path, runs)
                except OSError as error:
                    unreadable(error)
                else:
                    report(checked)
    finally:
        await launcher.close()


def _print_faults(checked: Checked) -> None:
    for fault in checked.faults:
        print(f"{checked.path}:{fault.line}: {fault}", flush=True)


def _failed(error: OSError | SandboxError) -> int:
    """Print why no lesson could be checked; return the exit status."""
    if isinstance(error, SandboxError):
        print(f"backscope: {error}", file=sys.stderr)
        return 1
    print(f"backscope: cannot read {error.filename}: {error.strerror or error}", file=sys.stderr)
    return 2


def export(source: Path, target: Path | None, settings: Settings) -> int:
    """Write the page of a lesson into one HTML file; return the exit status."""
    from backscope_server.api import lesson_page
    from backscope_server.command import single

    try:
        lesson_file.check_is_file(source, "it is no file; name one lesson")
    except OSError as error:
        return _failed(error)
    target = target or source.with_suffix(".html")
    if target.resolve() == source.resolve():
        print(f"backscope: {target} is the lesson itself. Name another file with -o.", file=sys.stderr)
        return 1
    if not target.parent.is_dir():
        print(f"backscope: cannot write {target}: there is no folder {target.parent}", file=sys.stderr)
        return 1
    if (template := page_template.lesson()) is None:
        print(NOT_BUILT, file=sys.stderr)
        return 1
    found: list[Checked] = []
    unread: list[OSError] = []
    try:
        asyncio.run(_check([source], settings, found.append, unread.append))
    except (OSError, SandboxError) as error:
        return _failed(error)
    if unread:
        return _failed(unread[0])
    (checked,) = found
    if checked.faults or checked.solved is None:
        _print_faults(checked)
        return 1
    try:
        text = lesson_page.fill(template, checked.solved)
    except lesson_page.TooLarge as error:
        print(f"backscope: {source}: {error}", file=sys.stderr)
        return 1
    return single.save(target, text)


def preview(path: Path, settings: Settings, *, browser: bool, when_ready: Callable[[], None] = lambda: None) -> int:
    """Serve the lessons in a file or a folder until interrupted; the page shows the first. Return the exit status.

    `when_ready` is called once the server answers.
    """
    from backscope_server.api.app import create_app
    from backscope_server.command.serve import serve

    try:
        first = checking.files([path])[0]
        lesson_file.check_is_file(first)
    except OSError as error:
        return _failed(error)
    if not _NAME.fullmatch(first.stem):
        print(f"backscope: {_no_name(first.stem)}", file=sys.stderr)
        return 2
    app = create_app(settings, lessons=path)
    return serve(
        app,
        settings,
        browser=browser,
        fields={"preview": "on"},
        fragment=f"#lesson={first.stem}",
        when_ready=when_ready,
    )


def new(name: str) -> int:
    """Write a new lesson into the current folder; return the exit status."""
    stem = name.removesuffix(".md")
    if not _NAME.fullmatch(stem):
        print(f"backscope: {_no_name(name)}", file=sys.stderr)
        return 2
    path = Path(f"{stem}.md")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        print(f"backscope: {path} exists already: choose another name, or remove it.", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"backscope: cannot write {path}: {error.strerror or error}", file=sys.stderr)
        return 1
    print(f"backscope: wrote {path}; `backscope lesson check {path}` runs it", file=sys.stderr)
    return 0


def print_format() -> int:
    """Print how lessons are written; return the exit status."""
    print(lesson_file.FORMAT.read_text(encoding="utf-8"), end="")
    return 0
