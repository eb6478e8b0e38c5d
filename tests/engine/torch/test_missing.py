"""Missing names: every module of the namespace raises an error that suggests the nearest name."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backscope import torch as ours
from backscope.protocol import events as ev
from backscope.torch import missing
from backscope.torch._backend.import_hook import Alias

FOLDER = Path(missing.__file__).parent


def pages() -> list[str]:
    """The names of all pages as a program imports them."""
    files = [p.relative_to(FOLDER).with_suffix("") for p in FOLDER.rglob("*.py")]
    names = {".".join(("torch", *p.parts)).removesuffix(".__init__") for p in files}
    return sorted(names - {"torch.missing"})


def test_every_page_tells_of_missing_names() -> None:
    """The name is the user's, whichever page lacks it."""
    with Alias():
        told = {}
        for name in pages():
            page = importlib.import_module(name)
            with pytest.raises(AttributeError) as caught:
                page.nothing_of_this_name  # noqa: B018
            told[name] = str(caught.value)
    assert len(told) > 80
    wrong = {
        name: text
        for name, text in told.items()
        if not text.startswith(f"module '{name}' has no attribute 'nothing_of_this_name': Backscope does not have it")
    }
    assert wrong == {}


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove torch.optim.adam, as if it had not been imported yet."""
    monkeypatch.delitem(sys.modules, "backscope.torch.optim.adam", raising=False)
    monkeypatch.delattr(ours.optim, "adam", raising=False)


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize("line", ["from torch.optim import adam", "import torch.optim.adam as adam"])
def test_page_that_a_program_loads(record: Callable[..., Any], line: str) -> None:
    """It tells of missing names as those do that were there from the beginning."""
    error = record(f"{line}\nadam.foo\n").one(ev.ErrorRaised)
    assert error.message == "module 'torch.optim.adam' has no attribute 'foo': Backscope does not have it (yet)."


@pytest.mark.usefixtures("unloaded")
def test_page_that_was_not_imported(record: Callable[..., Any]) -> None:
    """It is not missing: it is to be imported."""
    error = record("torch.optim.adam\n").one(ev.ErrorRaised)
    assert error.message == "module 'torch.optim' has no attribute 'adam': import torch.optim.adam first."


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("conv2d", ["Conv1d", "Conv2d", "Linear"], ["Conv2d", "Conv1d"]),
        ("to_sparse_csr", ["to", "to_sparse", "is_sparse_csr", "sum"], ["to_sparse", "is_sparse_csr", "to"]),
        ("sum_to_sizee", ["sum", "sum_to_size"], ["sum_to_size", "sum"]),
        ("add", ["add_", "adds"], ["adds"]),
        ("addd_", ["add_", "add"], ["add_"]),
        ("_to_dense", ["to_dense", "_hidden"], ["to_dense"]),
        ("__future__", ["futures", "future"], []),
        ("foo", ["fold", "floor", "zeros"], []),
    ],
)
def test_nearest(name: str, known: list[str], found: list[str]) -> None:
    """In upper or lower case, the most alike first; what is not alike is not named."""
    assert missing.nearest(name, known) == found


@pytest.mark.torch
def test_names_of_tensors() -> None:
    """The recorded names are those of PyTorch's tensors."""
    torch = pytest.importorskip("torch")
    assert set(json.loads((FOLDER / "tensor_names.json").read_text("utf-8"))) <= {*dir(torch.Tensor)}


def test_what_stands_in_for_a_name_is_there_and_the_name_is_not() -> None:
    """A name that came to be, or a substitute that went, would make the hint wrong."""
    for name, instead in missing._INSTEAD.items():
        page, _, own = name.rpartition(".")
        holder = (
            ours.Tensor if page == "Tensor" else importlib.import_module(page.replace("torch", "backscope.torch", 1))
        )
        assert own not in vars(holder), name
        for word in re.findall(r"(?:torch|Tensor)(?:\.\w+)+", instead):
            found: Any = ours if word.startswith("torch") else ours.Tensor
            for part in word.split(".")[1:]:
                found = getattr(found, part)
