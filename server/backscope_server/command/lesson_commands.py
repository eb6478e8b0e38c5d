"""The commands for authors of lessons: `backscope lesson check`, `lesson new` and `lesson format`."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from backscope_server.lessons import checking, lesson_file
from backscope_server.lessons.lesson_runs import running
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


def check(given: list[Path], settings: Settings) -> int:
    """Check lessons and print what does not hold, with file and line; return the exit status."""
    try:
        paths = checking.files(given or [lesson_file.FOLDER])
        return asyncio.run(_check(paths, settings))
    except OSError as error:
        print(f"backscope: cannot read {error.filename}: {error.strerror or error}", file=sys.stderr)
        return 2
    except SandboxError as error:
        print(f"backscope: {error}", file=sys.stderr)
        return 1


async def _check(paths: list[Path], settings: Settings) -> int:
    launcher = Launcher(limited=settings.limited)
    status = 0
    try:
        await launcher.start()
        async with running(launcher, settings.limits()) as runs:
            async for checked in checking.check(paths, runs):
                for fault in checked.faults:
                    status = 1
                    print(f"{checked.path}:{fault.line}: {fault}")
                if not checked.faults:
                    print(f"{checked.path}: {checked.summary}")
    finally:
        await launcher.close()
    return status


def new(name: str) -> int:
    """Write a new lesson into the current folder; return the exit status."""
    stem = name.removesuffix(".md")
    if not _NAME.fullmatch(stem):
        print(
            f"backscope: {name!r} is no name of a lesson: use letters, digits and _, as 03_broadcasting.",
            file=sys.stderr,
        )
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
