"""A recorded block looks at objects of the program without running code of their classes."""

from __future__ import annotations

import contextlib
import linecache
from collections.abc import Callable
from typing import Any

import pytest
from recorded import of

import backscope
from backscope import torch
from backscope.protocol import events as ev
from backscope.runtime.passive import own_dict

CLASSES = """
asked = []
class Asking:
    def __getattribute__(self, name):
        asked.append(f"getattribute {name}")
        return object.__getattribute__(self, name)
class Refusing:
    def __getattribute__(self, name):
        asked.append(f"refused {name}")
        raise SystemExit(name)
class Posing:
    @property
    def __class__(self):
        asked.append("class")
        return dict
class RefusingClass:
    @property
    def __class__(self):
        asked.append("refused class")
        raise ValueError("class")
class Keeping:
    @property
    def __dict__(self):
        asked.append("dict")
        return {"w": x}
class KeepingBelow(Asking):
    @property
    def __dict__(self):
        asked.append("refused dict")
        raise ValueError("dict")
class Meta(type):
    def __getattribute__(cls, name):
        asked.append(f"meta {name}")
        return type.__getattribute__(cls, name)
    def __hash__(cls):
        asked.append("meta hash")
        return 1
    def __eq__(cls, other):
        asked.append("meta eq")
        return cls is other
class OfMeta(metaclass=Meta):
    pass
class List(list):
    def __len__(self):
        asked.append("list len")
        return 3
class Dict(dict):
    def __len__(self):
        asked.append("dict len")
        raise ValueError("len")
    def get(self, *given):
        asked.append("get")
class Called:
    def __getattribute__(self, name):
        asked.append(f"called {name}")
        return object.__getattribute__(self, name)
    def __call__(self, x):
        return x * 2
class Held:
    called = Called()
x = torch.ones(3, requires_grad=True)
called, many, table = Called(), List(), Dict()
"""
"""Objects that note which of their special methods run; some of these methods raise."""

BLOCK = """
def use(given):
    own = given
    given.w = x * 2
    own.inside = [x * 3]
    many.append(x * 4)
    table["a"] = x * 5
    held = [own]
    held.append(given)
    pair = (own, x * 6)
    for each in held:
        y = x * 7
    return (called(y) + Held.called(y)).sum()
with around() as trace:
    thing.w = x * 2
    use(thing).backward()
    for each in (thing, called, many, table):
        z = x * 3
    print(asked, x.grad)
"""

MADE = ("Asking", "Posing", "RefusingClass", "Keeping", "KeepingBelow", "OfMeta", "Called", "Held")


def ran(source: str, around: Callable[[], Any]) -> dict[str, Any]:
    """The variables of a program that has run, with `around()` around its block."""
    name = f"<objects {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "objects", "torch": torch, "around": around}
    try:
        exec(compile(source, name, "exec"), space)
    finally:
        del linecache.cache[name]
    return space


@pytest.mark.parametrize("kind", MADE)
def test_a_block_runs_no_special_method_of_objects(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What they note is the same as without the recording, and so is what the program prints."""
    source = f"{CLASSES}thing = {kind}()\n{BLOCK}"
    noted = ran(source, contextlib.nullcontext)["asked"]
    bare = capsys.readouterr().out
    found = ran(source, backscope.record)
    assert found["asked"] == noted
    assert capsys.readouterr().out == bare
    trace = found["trace"]
    assert trace.status == "ok"
    assert {"x", "y", "z"} <= {event.name for event in of(trace, ev.TensorNamed)}
    assert not of(trace, ev.WarningRaised)


def test_an_object_that_refuses_every_attribute(capsys: pytest.CaptureFixture[str]) -> None:
    """An object with a `__getattribute__` that exits is bound, kept and looped over as without a recording."""
    source = (
        f"{CLASSES}thing = Refusing()\nwith around() as trace:\n    own = thing\n    held = [own]\n"
        "    held.append(thing)\n    for each in held:\n        y = x * 2\n    object.__setattr__(thing, 'w', y)\n"
        "    z = y * 2\n    def use(given):\n        given.w = y * 3\n        return given.w\n"
        "    try:\n        use(thing)\n    except SystemExit as error:\n        code = error.code\n    last = z * 2\n"
    )
    found = ran(source, backscope.record)
    assert (found["asked"], found["code"]) == (["refused w"], "w")
    assert {"x", "y", "z"} <= {event.name for event in of(found["trace"], ev.TensorNamed)}
    assert capsys.readouterr().out == ""


def test_attributes_come_from_the_object_itself() -> None:
    """own_dict() returns the object's own dict without running `__dict__`, which may be a property or a slot."""
    space = ran(f"{CLASSES}below = KeepingBelow()\nbelow.w = 1\nasking = Asking()\nasking.w = 2\n", backscope.record)
    space["asked"].clear()

    class Slotted:
        __slots__ = ("__dict__", "a")

    class Borrowing:
        __slots__ = ("a",)
        __dict__ = Slotted.a  # type: ignore[attr-defined] # Of another class: it raises TypeError.

    slotted = Slotted()
    slotted.b = 3  # type: ignore[attr-defined]
    given = (space["below"], space["asking"], slotted, Borrowing(), Slotted, torch, 1)
    held = [own_dict(value) for value in given]
    assert held[:5] == [{"w": 1}, {"w": 2}, {"b": 3}, {}, {}]
    assert held[5] is vars(torch)
    assert held[6] == {}
    assert space["asked"] == []
