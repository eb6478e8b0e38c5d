"""Small lessons with questions of all kinds, as files and as one page each."""

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


NODES = """\
---
title: Overwritten, then not
goal: Say which node misses a value that was overwritten
learned: A tensor that backward() needs is not written into.
minutes: 4
---
One program fails, the other one does not.

:::{program} name="fails" raises="RuntimeError"
```python
import torch

maß = torch.tensor([1.0, 2.0], requires_grad=True)
größe = torch.exp(maß)
größe.add_(1)
größe.sum().backward()
```
:::

:::{step} at="after größe is set"
`exp` keeps its result.
:::

:::{predict} at="before a pass" point="ExpBackward0"
Which node misses its value?
- if "grad_fn of größe": To add needs no value.
- else: Look for a chip that is no longer what was saved.
- right: `exp` needs its own result.
:::

:::{program} name="holds"
```python
import torch

maß = torch.tensor(2.0, requires_grad=True)
größe = torch.exp(maß) * 3
größe.backward()
```
:::

:::{step} at="after größe is set"
Now nothing is overwritten.
:::

:::{predict} at="before a pass" arrange="ExpBackward0, leaf maß, grad_fn of größe"
In which order do they run?
- if "leaf maß, ExpBackward0, grad_fn of größe": That is the order of the program.
- else: Begin at the result.
- right: From the result back to the leaf.
:::

:::{predict} at="after a pass" ask="maß.grad" within="0.01"
What will the gradient be?
- right: It is the result itself.
:::

:::{change} check="maß.grad < 4" edit="lines 3-4"
Make it smaller than 4.
- right: The gradient is as large as the result.
:::

:::{solution}
```python
import torch

maß = torch.tensor(0.0, requires_grad=True)
größe = torch.exp(maß) * 3
größe.backward()
```
:::
"""
"""A lesson with a node to point at, nodes to arrange, an error, and names with letters that are not ASCII."""


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `backscope lesson` as an author does."""
    paths = [str(REPOSITORY / "engine"), str(REPOSITORY / "server"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    # In a process of its own: the event loop of this one is Playwright's.
    called = [sys.executable, "-m", "backscope_server", "lesson", *arguments]
    return subprocess.run(called, env=environment, capture_output=True, text=True, check=False)


def export(folder: Path, text: str = LESSON, name: str = "two_paths") -> Path:
    """Write a lesson into a folder, export it as an author does, and return the page."""
    written = folder / f"{name}.md"
    written.write_text(text, encoding="utf-8")
    done = command("export", str(written))
    assert done.returncode == 0, done.stdout + done.stderr
    return written.with_suffix(".html")
