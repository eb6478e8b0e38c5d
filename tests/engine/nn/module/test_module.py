"""Module: what it owns, how that is found, converted and printed."""

from __future__ import annotations

import copy
from typing import Any

import pytest


def test_attributes_land_where_they_belong(torch: Any) -> None:
    """Parameters, buffers and modules are registered; assigning another kind moves the name."""
    nn = torch.nn
    module = nn.Module()
    module.x = nn.Parameter(torch.ones(1))
    module.register_buffer("b", torch.ones(1))
    module.b = torch.zeros(2)
    assert module._buffers["b"].tolist() == [0.0, 0.0]
    module.b = nn.ReLU()
    assert (list(module._parameters), list(module._modules), list(module._buffers)) == (["x"], ["b"], [])
    with pytest.raises(TypeError, match="cannot assign 'int' as child module 'b'"):
        module.b = 3
    with pytest.raises(TypeError, match=r"cannot assign 'torch\.FloatTensor' as parameter 'x'"):
        module.x = torch.ones(1)
    del module.x
    assert not hasattr(module, "x")


def test_assignment_before_init_is_refused(torch: Any) -> None:
    """A subclass must call super().__init__() first."""

    class Early(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            self.layer = torch.nn.ReLU()

    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__\(\) call"):
        Early()


def test_shared_members_are_found_once(torch: Any) -> None:
    """remove_duplicate decides whether a module or parameter with two names appears twice."""
    shared = torch.nn.Linear(1, 1)
    net = torch.nn.Sequential(shared, shared)
    assert [n for n, _ in net.named_parameters()] == ["0.weight", "0.bias"]
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4
    assert [n for n, _ in net.named_modules(remove_duplicate=False)] == ["", "0", "1"]


def test_conversion_keeps_the_parameters_themselves(torch: Any) -> None:
    """double() changes parameters and their gradients in place; integer buffers stay."""
    net = torch.nn.Linear(2, 1)
    net.register_buffer("count", torch.tensor(3))
    weight = net.weight
    net(torch.ones(1, 2)).sum().backward()
    assert net.double() is net and net.weight is weight
    assert weight.dtype is torch.float64 and weight.grad.dtype is torch.float64 and net.count.dtype is torch.int64
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        net.to(torch.int32)


def test_deepcopy_owns_its_parameters(torch: Any) -> None:
    """A copied module shares nothing with the original."""
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU())
    copied = copy.deepcopy(net)
    with torch.no_grad():
        copied[0].weight.fill_(9)
    assert net[0].weight.item() != 9 and type(copied[0].weight) is torch.nn.Parameter


def test_printing_nests_and_counts_repeats(torch: Any) -> None:
    """Children are indented; a list tells modules that print the same as one."""
    nn = torch.nn
    net = nn.Module()
    net.body = nn.Sequential(nn.Linear(1, 2), nn.ReLU())
    net.blocks = nn.ModuleList([nn.Tanh(), nn.Tanh()])
    assert repr(net) == (
        "Module(\n  (body): Sequential(\n    (0): Linear(in_features=1, out_features=2, bias=True)\n    (1): ReLU()\n"
        "  )\n  (blocks): ModuleList(\n    (0-1): 2 x Tanh()\n  )\n)"
    )


def test_errors_name_the_class_that_pytorch_has(torch: Any) -> None:
    """The error for a wrong argument names the layer or Module, not the classes that they derive from."""
    for call, text in (
        (lambda: torch.nn.ReLU(1, 2), r"ReLU.__init__\(\) takes from 1 to 2"),
        (lambda: torch.nn.Module().register_parameter("a"), r"Module.register_parameter\(\) missing 1"),
        (lambda: torch.nn.Linear(2.5, 1), "type must be tuple of ints,but got float"),
    ):
        with pytest.raises(TypeError, match=text):
            call()
    assert repr(torch.nn.Linear) == "<class 'torch.nn.modules.linear.Linear'>"


def test_forward_must_be_written(torch: Any) -> None:
    """A module without forward() says so when it is called."""
    with pytest.raises(NotImplementedError, match=r'Module \[Module\] is missing the required "forward" function'):
        torch.nn.Module()(1)
