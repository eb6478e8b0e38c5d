"""Protects the parts of the recorder: each moment is recorded by one of them, which declares it as a method."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.recorder import MOMENTS, TAKEN, Recorder
from backscope.runtime.listener import Listener, overridden


def test_each_moment_has_one_part() -> None:
    """A moment that two parts took would lose one of them; one that none took would be missing from every trace."""
    assert Counter(chain.from_iterable(TAKEN.values())) == Counter(MOMENTS)


def test_the_recorder_calls_the_part_itself() -> None:
    """A moment costs no call more than that of its part's method."""
    recorder = Recorder(lambda _: None)
    for part, names in TAKEN.items():
        for name in names:
            assert type(getattr(recorder, name).__self__) is part


@pytest.mark.parametrize("part", TAKEN)
def test_a_part_declares_its_moments(part: type[Listener]) -> None:
    """The public methods of a part that carry the name of a moment are those that it overrides."""
    declared = ProgramListener if issubclass(part, ProgramListener) else Listener
    assert set(overridden(part, declared)) == {name for name in vars(part) if name in MOMENTS}


def test_a_method_of_the_base_class_is_not_overridden() -> None:
    """Only what a class defines anew, or inherits from one that does, counts as a moment of its own."""

    class First(Listener):
        def module_left(self) -> None:
            """Does what a listener does."""

    class Second(First):
        def function_left(self) -> None:
            """Does what a listener does."""

    assert overridden(Listener) == ()
    assert overridden(First) == ("module_left",)
    assert set(overridden(Second)) == {"module_left", "function_left"}
