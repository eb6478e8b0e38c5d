"""A small lesson with an option to choose, a value to type and a program to change, as a file and as one page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from page_server import REPOSITORY

LESSON = """\
---
title: Two paths <b>to</b> one leaf
goal: Say why gradients add up
learned: The gradients of all paths to a value add up.
minutes: 4
---
A value is used twice.

:::{program}
```python
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * x + 3 * x
y.backward()
```
:::

:::{step} at="after y is set"
Two arrows leave `x`.
:::

:::{predict} at="before a pass" choose="type(y.grad_fn).__name__"
Which node runs first?
- option "'AddBackward0'"
- option "'MulBackward0'": That one made a product.
- right: It made `y`.
:::

:::{predict} at="after a pass" ask="x.grad"
What will `x.grad` be?
- if "4": That is one path of two.
- right: 4 and 3 arrive.
:::

:::{change} check="x.grad == 11"
Change one number so that `x.grad` becomes 11.
- right: The slope is `2x + 3`.
:::

:::{solution}
```python
import torch

x = torch.tensor(4.0, requires_grad=True)
y = x * x + 3 * x
y.backward()
```
:::
"""


def export(folder: Path) -> Path:
    """Write LESSON into a folder, export it as an author does, and return the page."""
    written = folder / "two_paths.md"
    written.write_text(LESSON, encoding="utf-8")
    paths = [str(REPOSITORY / "engine"), str(REPOSITORY / "server"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    # In a process of its own: the event loop of this one is Playwright's.
    command = [sys.executable, "-m", "backscope_server", "lesson", "export", str(written)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return written.with_suffix(".html")
