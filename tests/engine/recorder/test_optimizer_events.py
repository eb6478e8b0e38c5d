"""Optimizer steps as events: what each step did to each parameter, for every kind of optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev
from backscope.recorder.optimizer_events import LOOKED_AT

HEAD = "w = torch.tensor([1., 2.], requires_grad=True)\n"
TRAIN = "for _ in range(2):\n    opt.zero_grad()\n    (w * w).sum().backward()\n    opt.step()\n"


def values(summary: ev.Summary | None) -> list[Any] | None:
    """The values of a summary, rounded."""
    return None if summary is None else [round(v, 4) for v in summary.values]


def test_momentum(record: Callable[..., Any]) -> None:
    """Before, gradient, buffer, change and after of two steps; what was after one step is before the next."""
    run = record(HEAD + "opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)\n" + TRAIN)
    first, second = run.of(ev.OptimizerStepped)
    assert (first.optimizer, first.number, second.number) == ("SGD", 1, 2)
    assert first.groups[0].lr == 0.1 and first.groups[0].options["momentum"] == "0.9"
    assert "nesterov" not in first.groups[0].options
    update = first.updates[0]
    assert update.name == "w" and update.group == 0
    assert [values(s) for s in (update.before, update.grad, update.change, update.after)] == [
        [1.0, 2.0], [2.0, 4.0], [-0.2, -0.4], [0.8, 1.6],
    ]  # fmt: skip
    again = second.updates[0]
    assert values(again.before) == [0.8, 1.6] and values(again.state["momentum_buffer"]) == [3.4, 6.8]
    assert values(again.change) == [-0.34, -0.68]
    assert [(e.op, e.version) for e in run.of(ev.TensorMutated)] == [("SGD.step", 1), ("SGD.step", 2)]


@pytest.mark.parametrize(
    ("optimizer", "state"),
    [
        ("SGD([w], lr=0.1)", set()),
        ("Adam([w], lr=0.1)", {"step", "exp_avg", "exp_avg_sq"}),
        ("Adam([w], lr=0.1, foreach=True)", {"step", "exp_avg", "exp_avg_sq"}),
        ("AdamW([w], lr=0.1, amsgrad=True)", {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}),
        ("Adamax([w])", {"step", "exp_avg", "exp_inf"}),
        ("NAdam([w])", {"step", "mu_product", "exp_avg", "exp_avg_sq"}),
        ("RAdam([w])", {"step", "exp_avg", "exp_avg_sq"}),
        ("Adagrad([w])", {"step", "sum"}),
        ("Adadelta([w])", {"step", "square_avg", "acc_delta"}),
        ("ASGD([w])", {"step", "eta", "mu", "ax"}),
        ("RMSprop([w], momentum=0.5)", {"step", "square_avg", "momentum_buffer"}),
        ("Rprop([w])", {"step", "prev", "step_size"}),
    ],
)
def test_state_that_matters(record: Callable[..., Any], optimizer: str, state: set[str]) -> None:
    """Each step has the optimizer's state; the change is after minus before."""
    run = record(HEAD + f"opt = torch.optim.{optimizer}\n" + TRAIN)
    assert run.status == "ok"
    for step in run.of(ev.OptimizerStepped):
        (update,) = step.updates
        assert state <= set(update.state)
        assert all(isinstance(update.state[name], ev.Summary) for name in state)
        assert update.change is not None
        expected = [a - b for a, b in zip(update.after.values, update.before.values, strict=True)]
        assert update.change.values == pytest.approx(expected, abs=1e-6)


def test_lbfgs_tells_where_its_closure_is_evaluated(record: Callable[..., Any]) -> None:
    """The parameters' values between the evaluations are recorded, and the step from its start to its end."""
    run = record(
        HEAD + "opt = torch.optim.LBFGS([w], max_iter=3)\ndef closure():\n    opt.zero_grad()\n"
        "    loss = ((w - 3) ** 2).sum()\n    loss.backward()\n    return loss\nopt.step(closure)\n"
    )
    assert run.status == "ok"
    (step,) = run.of(ev.OptimizerStepped)
    (update,) = step.updates
    assert values(update.before) == [1.0, 2.0] and values(update.after) == [3.0, 3.0]
    assert update.state["n_iter"] == "2" and update.state["old_dirs"] == "list of 1"
    moved = [e.seq for e in run.of(ev.TensorMutated)]
    passes = [e.seq for e in run.of(ev.BackwardStarted)]
    assert passes[0] < moved[0] < passes[1]


def test_an_optimizer_of_the_program(record: Callable[..., Any]) -> None:
    """Its ops are recorded one by one, its step once, and no change twice."""
    run = record(
        HEAD + "class Mine(torch.optim.Optimizer):\n    def __init__(self, params):\n"
        "        super().__init__(params, dict(lr=0.5))\n    @torch.no_grad()\n    def step(self):\n"
        "        for group in self.param_groups:\n            for p in group['params']:\n"
        "                p.add_(p.grad, alpha=-group['lr'])\n                self.state[p]['seen'] = True\n"
        "opt = Mine([w])\n" + TRAIN
    )
    assert run.status == "ok"
    steps = run.of(ev.OptimizerStepped)
    assert [values(s.updates[0].change) for s in steps] == [[-1.0, -2.0], [0.0, 0.0]]
    assert steps[0].updates[0].name == "w" and steps[0].updates[0].state == {"seen": "True"}
    assert [e.version for e in run.of(ev.TensorMutated)] == [1, 2]


def test_changes_through_data(record: Callable[..., Any]) -> None:
    """`p.data.add_` changes no version of p, and is an update all the same."""
    run = record(
        HEAD + "class Old(torch.optim.Optimizer):\n    def step(self):\n"
        "        for p in self.param_groups[0]['params']:\n            p.data.add_(-1)\n"
        "opt = Old([w], {})\nopt.step()\n"
    )
    assert values(run.one(ev.OptimizerStepped).updates[0].change) == [-1.0, -1.0]


def test_groups_and_parameters_without_a_gradient(record: Callable[..., Any]) -> None:
    """Each update has its group; a parameter without a gradient is recorded as unchanged."""
    run = record(
        HEAD + "b = torch.ones(1, requires_grad=True)\nc = torch.ones(1, requires_grad=True)\n"
        "opt = torch.optim.SGD([{'params': [w, c]}, {'params': [b], 'lr': 1.0}], lr=0.1)\n"
        "(w.sum() + b).sum().backward()\nopt.step()\n"
    )
    (step,) = run.of(ev.OptimizerStepped)
    assert [(u.name, u.group, values(u.change)) for u in step.updates] == [("w", 0, [-0.1, -0.1]), ("b", 1, [-1.0])]
    assert [g.lr for g in step.groups] == [0.1, 1.0]
    names = {e.name: e.tensor for e in run.of(ev.TensorNamed)}
    assert step.unchanged == [names["c"]]


def test_a_scheduler_shows_in_the_learning_rate(record: Callable[..., Any]) -> None:
    """The recorded rate is the one that the step used."""
    run = record(
        HEAD + "opt = torch.optim.SGD([w], lr=1.0)\nscheduler = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)\n"
        + TRAIN + "    scheduler.step()\n"
    )  # fmt: skip
    assert [s.groups[0].lr for s in run.of(ev.OptimizerStepped)] == [1.0, 0.5]


@pytest.mark.parametrize("between", ["", "    with torch.no_grad():\n        w.mul_(2)\n"])
def test_large_parameters(record: Callable[..., Any], between: str) -> None:
    """A parameter too large to be copied into events still has the norm of its change."""
    run = record(
        "w = torch.ones(100, 100, requires_grad=True)\nopt = torch.optim.Adam([w], lr=0.5)\n"
        "for _ in range(2):\n    opt.zero_grad()\n    (w * w).sum().backward()\n    opt.step()\n" + between
    )
    for step in run.of(ev.OptimizerStepped):
        (update,) = step.updates
        expected = update.after.values[0] - update.before.values[0]
        assert update.change.values == pytest.approx([expected] * 16, rel=1e-5)
        assert update.change.norm == pytest.approx(100 * abs(expected), rel=1e-5)
        assert update.state["exp_avg"].norm > 0


def test_what_is_beyond_the_budget_is_not_read(record: Callable[..., Any]) -> None:
    """Of the change and the state of a huge parameter only the first elements are read."""
    run = record(
        f"w = torch.ones({LOOKED_AT + 1}, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.5, momentum=0.9)\n"
        "w.sum().backward()\nopt.step()\n"
    )
    update = run.one(ev.OptimizerStepped).updates[0]
    assert update.after.norm == pytest.approx(0.5 * (LOOKED_AT + 1) ** 0.5)
    assert update.change.norm is None and update.change.values == [-0.5] * 16
    buffer = update.state["momentum_buffer"]
    assert buffer.norm is None and buffer.shape == [LOOKED_AT + 1] and buffer.values == [1.0] * 16
    assert buffer.nbytes == 4 * (LOOKED_AT + 1)


def test_a_step_in_anomaly_mode_without_a_recording(torch: Any) -> None:
    """A step works with another listener than the recorder."""
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    w.sum().backward()
    with torch.autograd.set_detect_anomaly(True):
        optimizer.step()
    assert w.tolist() == [0.5, 0.5]
