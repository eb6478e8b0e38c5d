"""Pruning: masked parameters keep learning through their mask, and a module that refuses is left as it was."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest


@pytest.fixture
def prune(torch: ModuleType) -> ModuleType:
    """torch.nn.utils.prune."""
    return importlib.import_module(f"{torch.__name__}.nn.utils.prune")


def test_gradients_reach_only_what_is_not_pruned(torch: ModuleType, prune: ModuleType) -> None:
    m = torch.nn.Linear(4, 3)
    prune.l1_unstructured(m, "weight", 5)
    m(torch.ones(2, 4)).sum().backward()
    assert int((m.weight_mask == 0).sum()) == 5
    assert torch.equal(m.weight_orig.grad, 2 * m.weight_mask)


def test_the_mask_follows_a_changed_parameter(torch: ModuleType, prune: ModuleType) -> None:
    m = torch.nn.Linear(4, 3)
    prune.random_unstructured(m, "weight", 0.5)
    with torch.no_grad():
        m.weight_orig.fill_(7.0)
    m(torch.ones(1, 4))
    assert torch.equal(m.weight, 7 * m.weight_mask)


def test_methods_add_up_and_are_removed_together(torch: ModuleType, prune: ModuleType) -> None:
    m = torch.nn.Linear(4, 3)
    prune.l1_unstructured(m, "weight", 3)
    prune.ln_structured(m, "weight", 1, n=2, dim=0)
    (container,) = m._forward_pre_hooks.values()
    assert len(container) == 2
    assert int((m.weight_mask.sum(1) == 0).sum()) >= 1
    pruned = m.weight.detach().clone()
    prune.remove(m, "weight")
    assert torch.equal(m.weight, pruned)
    assert [n for n, _ in m.named_parameters()] == ["bias", "weight"]
    assert not prune.is_pruned(m)


def test_a_module_that_refuses_is_as_before(torch: ModuleType, prune: ModuleType) -> None:
    m = torch.nn.Linear(4, 3)
    with pytest.raises(ValueError, match="should be smaller than the number of parameters to prune=12"):
        prune.l1_unstructured(m, "weight", 13)
    assert sorted(m.state_dict()) == ["bias", "weight"]
    assert not prune.is_pruned(m)


def test_all_parameters_are_pruned_as_one(torch: ModuleType, prune: ModuleType) -> None:
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    with torch.no_grad():
        m[0].weight.fill_(1.0)
        m[1].weight.fill_(9.0)
    prune.global_unstructured([(m[0], "weight"), (m[1], "weight")], prune.L1Unstructured, amount=4)
    assert m[0].weight.abs().sum() == 0
    assert (m[1].weight_mask == 1).all()
