"""What a notebook shows of a recording: the page in one output, the data in each, and text in all."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import backscope
from backscope import pictures, torch
from backscope.pictures import drawing
from backscope.player import cell

PAGE = "BACKSCOPE_TITLE BACKSCOPE_NONCE BACKSCOPE_ABOUT BACKSCOPE_RECORDING</script>"


@pytest.fixture(autouse=True)
def page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small page in the place of the built one, a kernel that has shown nothing, and no way to draw."""
    monkeypatch.setattr(drawing, "find_node", lambda: None)
    monkeypatch.setattr(cell, "_page", lambda: (PAGE, "0123"))
    cell.forget_carrier()


def in_cell(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    """Have a cell of a notebook run; it gives no name where that is None."""
    metadata = {} if name is None else {"cellId": name}
    shell = SimpleNamespace(kernel=SimpleNamespace(get_parent=lambda _channel: {"metadata": metadata}))
    module = ModuleType("IPython")
    setattr(module, "get_ipython", lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)


def recorded() -> backscope.Recording:
    with backscope.record() as trace:
        w = torch.tensor([1.0], requires_grad=True)
        (w * 3).sum().backward()
        print("</script><b>")
    return trace


def carries(trace: backscope.Recording) -> bool:
    return "data-backscope-page" in trace._repr_mimebundle_()["text/html"].split("<script>")[0]


def test_the_data_is_in_the_output_and_no_text_of_a_program_is_markup() -> None:
    trace = recorded()
    shown = trace._repr_mimebundle_()
    assert shown["text/plain"] == repr(trace)
    html = shown["text/html"]
    assert html.startswith('<div class="backscope"><pre>&lt;Recording from line ')
    assert html.count("</script>") == 2 and "<b>" not in html
    put = json.loads(re.findall(r"put = (\{.*?\});", html)[0])
    lines = gzip.decompress(base64.b64decode(put["RECORDING"])).splitlines()
    assert lines[1:] == trace.lines
    about = json.loads(gzip.decompress(base64.b64decode(put["ABOUT"])))
    assert {op["name"] for op in about["ops"]} == {"mul", "sum"}, "of the ops that it has, to be small"


def test_one_cell_of_a_notebook_carries_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recorded()
    in_cell(monkeypatch, "a")
    assert carries(trace) and carries(trace)
    in_cell(monkeypatch, "b")
    assert not carries(trace)
    in_cell(monkeypatch, "a")  # It runs again, which clears its output.
    assert carries(trace)
    cell.forget_carrier()
    in_cell(monkeypatch, "b")
    assert carries(trace)


def test_each_output_carries_it_where_outputs_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Colab each has a document of its own; other notebooks may not say which cell runs."""
    trace = recorded()
    in_cell(monkeypatch, None)
    assert carries(trace) and carries(trace)
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    in_cell(monkeypatch, "a")
    assert carries(trace)
    in_cell(monkeypatch, "b")
    assert carries(trace)


def test_a_step_is_where_it_opens() -> None:
    html = recorded()._in_cell(3)["text/html"]
    put = json.loads(re.findall(r"put = (\{.*?\});", html)[0])
    assert json.loads(gzip.decompress(base64.b64decode(put["ABOUT"])))["fragment"] == "at=2"


def test_text_alone_without_a_built_page_and_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with backscope.record() as trace:
        torch.ones(1)
        assert set(trace._repr_mimebundle_()) == {"text/plain"}
    monkeypatch.setattr(cell, "_page", lambda: None)
    assert set(trace._repr_mimebundle_()) == {"text/plain"}


def test_the_script_has_every_place_that_is_filled() -> None:
    script = Path(cell.__file__).with_name("cell.js").read_text()
    assert all(name in script for name in ("= PAGE", "= PUT", ", HEIGHT"))


def test_a_picture_is_where_scripts_do_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []

    def png(recording: bytes, *, step: int | None) -> bytes:
        assert gzip.decompress(recording).splitlines()[1:] == trace.lines
        asked.append(step)
        return b"\x89PNG....IHDR....\0\0\x03\0..."

    trace = recorded()
    assert set(trace._in_cell(3)) == {"text/plain", "text/html"}
    monkeypatch.setattr(pictures, "png", png)
    shown = trace._in_cell(3)
    assert asked == [3]
    assert base64.b64decode(shown["image/png"]).startswith(b"\x89PNG")
    assert f'width="384" src="data:image/png;base64,{shown["image/png"]}"' in shown["text/html"]
    monkeypatch.setattr(cell, "MOST_DRAWN", 3)
    assert "image/png" not in trace._in_cell(3), "what takes long is not drawn"
