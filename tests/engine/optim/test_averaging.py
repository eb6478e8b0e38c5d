"""Stochastic weight averaging: averages of parameters, fresh batch norm statistics, the rate's schedule."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture
def swa(torch: Any) -> Any:
    """torch.optim.swa_utils of the namespace under test."""
    return importlib.import_module(torch.__name__ + ".optim.swa_utils")


def averaged(torch: Any, swa: Any, **options: Any) -> float:
    """The average of a parameter that is 1, 2 and 4 at three updates."""
    net = torch.nn.Linear(1, 1, bias=False)
    model = swa.AveragedModel(net, **options)
    for value in (1.0, 2.0, 4.0):
        with torch.no_grad():
            net.weight.fill_(value)
        model.update_parameters(net)
    assert model.n_averaged.item() == 3
    return float(model.module.weight.detach())


def test_averages(torch: Any, swa: Any) -> None:
    """Equal weights by default, or those of a function, one by one or for all at once."""
    assert averaged(torch, swa) == pytest.approx(7 / 3)
    assert averaged(torch, swa, avg_fn=swa.get_ema_avg_fn(0.5)) == 2.75
    assert averaged(torch, swa, multi_avg_fn=swa.get_ema_multi_avg_fn(0.5)) == 2.75
    with pytest.raises(ValueError, match=r"Invalid decay value 1.5 provided"):
        swa.get_ema_avg_fn(1.5)


def test_update_bn(torch: Any, swa: Any) -> None:
    """Running statistics become the means over all batches."""
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(1))
    swa.update_bn([torch.tensor([[0.0], [2.0]]), torch.tensor([[4.0], [6.0]])], net)
    assert (net[0].running_mean.item(), net[0].momentum) == (3.0, 0.1)


def test_rate(torch: Any, swa: Any) -> None:
    """Along a line to swa_lr, and then no further."""
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = swa.SWALR(optimizer, 0.2, anneal_epochs=4, anneal_strategy="linear")
    seen = []
    for _ in range(5):
        optimizer.step()
        scheduler.step()
        seen.append(scheduler.get_last_lr()[0])
    assert seen == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.2])
