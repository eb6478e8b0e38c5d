"""Protects answers why a hook did not run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, questions

Why = Callable[..., Any]

HEAD = (
    "def look(*seen): pass\nlayer = torch.nn.Linear(2, 1)\nmodel = torch.nn.Sequential(layer, torch.nn.ReLU())\n"
    "x = torch.ones(1, 2)\n"
)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("layer.register_forward_hook(look)\nlayer.forward(x).sum().backward()\n", "forward() was called directly"),
        ("model.register_forward_pre_hook(look)\nmodel.forward(x)\n", "forward() was called directly"),
        ("y = layer(x)\nlayer.register_forward_hook(look)\n", "after the call at line 6"),
        ("layer.register_full_backward_hook(look)\ny = layer(x)\n", "no backward pass has run since"),
    ],
)
def test_hooks_of_modules(why: Why, body: str, words: str) -> None:
    """The call was bypassed, came before the hook, or its gradient has not arrived."""
    found = why(HEAD + body, "hook_missed")
    assert words in found.cause
    assert found.lines[0] in (6, 7)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("h = x * 2\nh.sum().backward()\nh.register_hook(print)\n", "after backward() at line 4"),
        ("h = x * 2\nh.register_hook(print)\n(x * 3).sum().backward()\n", "1 pass brought h no gradient"),
    ],
)
def test_hooks_of_tensors(why: Why, body: str, words: str) -> None:
    """The hook came after the pass, or its tensor has no part in the loss."""
    assert words in why(f"x = torch.ones(2, requires_grad=True)\n{body}", "hook_missed", "h").cause


@pytest.mark.parametrize(
    "body",
    [
        "layer.register_forward_hook(look)\nlayer(x).sum().backward()\n",
        "layer.register_full_backward_hook(look)\nmodel(x).sum().backward()\n",
        "h = layer(x)\nh.register_hook(lambda g: None)\nh.sum().backward()\n",
        "h = layer(x)\nh.register_hook(look).remove()\nh.sum().backward()\n",
    ],
)
def test_hooks_that_ran_have_no_question(record: Callable[..., Any], body: str) -> None:
    """Removed hooks have none either."""
    tape = Tape(record(HEAD + body).events)
    assert "hook_missed" not in [q.key for q in questions(tape, tape.seq, Subject())]


def test_a_hook_that_its_pass_has_yet_to_run_has_no_question(record: Callable[..., Any]) -> None:
    """There is none at any moment before the pass or within it."""
    body = "layer.register_full_backward_hook(look)\nmodel(x).sum().backward()\n"
    tape = Tape(record(HEAD + body).events)
    keys = [q.key for seq in range(tape.seq + 1) for q in questions(tape, seq, Subject())]
    assert "hook_missed" not in keys


def test_a_function_that_is_called_hook_is_called_so_once(record: Callable[..., Any]) -> None:
    """The question does not say "the hook hook"."""
    body = "def hook(*seen): pass\nlayer.register_full_backward_hook(hook)\ny = layer(x)\n"
    tape = Tape(record(HEAD + body).events)
    assert "Why did the hook not run?" in [q.text for q in questions(tape, tape.seq, Subject())]
