"""Parameter and Buffer: what they are, what they share, how they are copied and stored."""

from __future__ import annotations

import copy
from typing import Any

import pytest


def test_parameter_shares_memory_and_version_with_its_data(torch: Any) -> None:
    """A Parameter is a leaf over the same memory; changes of either are seen and counted by both."""
    data = torch.zeros(2)
    parameter = torch.nn.Parameter(data)
    with torch.no_grad():
        parameter.add_(1)
    assert (data.tolist(), data._version, parameter._version) == ([1.0, 1.0], 1, 1)
    assert parameter.is_leaf and parameter.requires_grad and not data.requires_grad


def test_results_of_parameters_are_plain_tensors(torch: Any) -> None:
    """Only the Parameter itself is one."""
    parameter = torch.nn.Parameter(torch.ones(2))
    for result in (parameter * 2, 2 * parameter, parameter + parameter, parameter.exp(), parameter[0], parameter.data):
        assert type(result) is torch.Tensor
    assert type(torch.nn.Parameter(parameter)) is torch.nn.Parameter


def test_parameters_take_the_quick_path(ours: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arithmetic of Parameters runs the code made for plain tensors, not the general one."""
    from backscope.ops.core import elementwise

    def refuse(*args: Any) -> Any:
        raise AssertionError("the general path was taken")

    monkeypatch.setattr(elementwise, "apply_elementwise", refuse)
    parameter, tensor = ours.nn.Parameter(ours.ones(2)), ours.ones(2)
    results = [parameter * tensor, tensor * parameter, parameter - parameter, parameter * 3.0, parameter.tanh()]
    assert all(r.requires_grad for r in results)


def test_deepcopy_keeps_value_and_flag_alone(torch: Any) -> None:
    """A copied Parameter has memory of its own, and neither gradient nor further attributes."""
    parameter = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    parameter.note = 1
    copied = copy.deepcopy(parameter)
    assert type(copied) is torch.nn.Parameter and not copied.requires_grad and not hasattr(copied, "note")
    copied.fill_(5)
    assert parameter.tolist() == [1.0, 1.0]


def test_integers_need_requires_grad_false(torch: Any) -> None:
    """A Parameter of integers is refused unless it wants no gradient."""
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        torch.nn.Parameter(torch.ones(2, dtype=torch.int64))
    assert torch.nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False).dtype is torch.int64


def test_buffer_is_a_flagged_tensor(torch: Any) -> None:
    """What Buffer makes is a plain tensor that isinstance() knows, and a module registers it."""
    buffer = torch.nn.Buffer(torch.ones(2), persistent=False)
    assert type(buffer) is torch.Tensor and isinstance(buffer, torch.nn.Buffer)
    assert not isinstance(buffer, torch.nn.Parameter) and not isinstance(torch.ones(2), torch.nn.Buffer)
    module = torch.nn.Module()
    module.b = buffer
    assert list(dict(module.named_buffers())) == ["b"] and not module.state_dict()


def test_uninitialized_parameter_gets_shape_and_class(torch: Any) -> None:
    """materialize() makes a Parameter of one that had no shape."""
    parameter = torch.nn.UninitializedParameter()
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        parameter.shape  # noqa: B018
    parameter.materialize((2, 3))
    assert type(parameter) is torch.nn.Parameter and tuple(parameter.shape) == (2, 3)
