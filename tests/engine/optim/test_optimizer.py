"""The base of all optimizers: hooks around steps, saving and loading, subclasses of a program, calls of listeners."""

from __future__ import annotations

import copy
from typing import Any

import pytest


def stepped(torch: Any) -> Any:
    """A parameter and an optimizer that took one step."""
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    w.sum().backward()
    optimizer.step()
    return w, optimizer


def test_state_dict_numbers_parameters(torch: Any) -> None:
    """Parameters are numbers, in the order of the groups; loading gives them back, options included."""
    _, optimizer = stepped(torch)
    saved = optimizer.state_dict()
    assert saved["param_groups"][0]["params"] == [0]
    assert saved["state"][0]["momentum_buffer"].tolist() == [1.0, 1.0]
    v = torch.ones(2, requires_grad=True)
    other = torch.optim.SGD([v], lr=3.0)
    other.load_state_dict(saved)
    assert other.param_groups[0]["lr"] == 0.1
    assert other.state[v]["momentum_buffer"].tolist() == [1.0, 1.0]


def test_loading_casts_to_the_parameter(torch: Any) -> None:
    """State takes the dtype of the parameter that it is loaded for, the count of steps keeps its own."""
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Adam([w])
    w.sum().backward()
    optimizer.step()
    v = torch.ones(2, dtype=torch.float64, requires_grad=True)
    other = torch.optim.Adam([v])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[v]["exp_avg"].dtype is torch.float64
    assert other.state[v]["step"].dtype is torch.float32


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ([], "loaded state dict has a different number of parameter groups"),
        ([{"params": [0, 1]}], "loaded state dict contains a parameter group that doesn't match the size of"),
    ],
)
def test_loading_other_groups_is_refused(torch: Any, groups: list[Any], text: str) -> None:
    """Groups must match in number and size."""
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    with pytest.raises(ValueError, match=text):
        optimizer.load_state_dict({"state": {}, "param_groups": groups})


def test_order_of_hooks(torch: Any) -> None:
    """Global hooks run outside an optimizer's own, before and after the step."""
    from importlib import import_module

    register = import_module(torch.__name__ + ".optim.optimizer")
    seen: list[str] = []
    first = register.register_optimizer_step_pre_hook(lambda *a: seen.append("all pre"))
    last = register.register_optimizer_step_post_hook(lambda *a: seen.append("all post"))
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    optimizer.register_step_pre_hook(lambda *a: seen.append("pre"))
    optimizer.register_step_post_hook(lambda *a: seen.append("post"))
    try:
        optimizer.step(lambda: seen.append("closure"))
    finally:
        first.remove()
        last.remove()
    assert seen == ["all pre", "pre", "closure", "post", "all post"]
    optimizer.step()
    assert seen[5:] == ["pre", "post"]


def test_hooks_of_state_dicts(torch: Any) -> None:
    """They run around saving and loading and may replace the dict."""
    _, optimizer = stepped(torch)
    seen: list[str] = []
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("second"))
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, d: {**d, "extra": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, d: seen.append(str(d["extra"])))
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
    optimizer.load_state_dict(optimizer.state_dict())
    assert seen == ["first", "second", "1", "loaded"]


def test_a_pre_hook_returns_arguments(torch: Any) -> None:
    """A tuple of two replaces the arguments of step, anything else is refused."""
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    handle = optimizer.register_step_pre_hook(lambda o, args, kwargs: (args, {"closure": lambda: 7}))
    assert optimizer.step() == 7
    handle.remove()
    optimizer.register_step_pre_hook(lambda *a: 5)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        optimizer.step()


def test_own_optimizer(torch: Any) -> None:
    """A subclass with a step of its own has hooks, printing and zero_grad like any other."""

    class Descent(torch.optim.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, params: Any, lr: float) -> None:
            super().__init__(params, {"lr": lr})

        @torch.no_grad()  # type: ignore[untyped-decorator]
        def step(self, closure: Any = None) -> None:
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad, alpha=-group["lr"])

    w = torch.ones(2, requires_grad=True)
    optimizer = Descent([w], 0.5)
    seen: list[str] = []
    optimizer.register_step_post_hook(lambda *a: seen.append("post"))
    (w * w).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    assert (w.tolist(), w.grad, seen) == ([0.0, 0.0], None, ["post"])
    assert repr(optimizer) == "Descent (\nParameter Group 0\n    lr: 0.5\n)"


def test_names_of_parameters(torch: Any) -> None:
    """Parameters may come with names, all of them or none."""
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([("w", w)], lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["w"]
    with pytest.raises(ValueError, match="cannot add param group without names to the optimizer"):
        optimizer.add_param_group({"params": [torch.ones(1, requires_grad=True)]})
    with pytest.raises(ValueError, match="Some param names are missing"):
        torch.optim.SGD([("w", w), torch.ones(1)], lr=0.1)


def test_deepcopy(torch: Any) -> None:
    """A copy has parameters and state of its own."""
    w, optimizer = stepped(torch)
    other = copy.deepcopy(optimizer)
    assert other.param_groups[0]["params"][0] is not w
    assert repr(other) == repr(optimizer)


def test_duplicates_are_warned_of(torch: Any) -> None:
    """The same parameter twice in one group is still accepted."""
    w = torch.ones(1, requires_grad=True)
    with pytest.warns(UserWarning, match="duplicate parameters"):
        torch.optim.SGD([w, w], lr=0.1)
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        torch.optim.SGD([{"params": [w]}, {"params": [w]}], lr=0.1)


SOURCE = """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.5)
optimizer.register_step_pre_hook(lambda *a: None)
(w * w).sum().backward()
optimizer.step()
"""


def test_listeners_are_called_for_one_step(record: Any) -> None:
    """One event for the whole step, with values before and after; none for the ops inside; one for each hook."""
    events = record(SOURCE).events
    kinds = [type(e).__name__ for e in events]
    (stepped_event,) = [e for e in events if type(e).__name__ == "OptimizerStepped"]
    assert stepped_event.optimizer == "Adam"
    (hook,) = [e for e in events if type(e).__name__ == "HookRan"]
    assert (hook.where, hook.module) == ("optimizer step pre", "Adam")
    after = kinds[kinds.index("HookRan") :]
    assert "OpApplied" not in after
