"""state_dict and load_state_dict: what they hold, what they say of keys that don't fit, their hooks."""

from __future__ import annotations

from typing import Any

import pytest


def test_loading_copies_in_place(torch: Any) -> None:
    """Parameters stay the same objects; their values change."""
    net, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    weight = net.weight
    assert repr(net.load_state_dict(other.state_dict())) == "<All keys matched successfully>"
    assert net.weight is weight and torch.equal(weight, other.weight)


def test_assign_takes_the_tensors_themselves(torch: Any) -> None:
    """assign=True puts the given memory in the place of the parameters."""
    net, given = torch.nn.Linear(1, 1), {"weight": torch.ones(1, 1).double(), "bias": torch.ones(1)}
    net.load_state_dict(given, assign=True)
    assert net.weight.dtype is torch.float64 and type(net.weight) is torch.nn.Parameter
    assert net.weight.data_ptr() == given["weight"].data_ptr()


def test_one_error_lists_all_that_is_wrong(torch: Any) -> None:
    """Missing and unexpected keys and wrong shapes are one error, and nothing where not strict but for shapes."""
    net = torch.nn.Sequential(torch.nn.Linear(2, 1))
    with pytest.raises(RuntimeError) as error:
        net.load_state_dict({"0.weight": torch.ones(3), "1.bias": torch.ones(1)})
    assert str(error.value) == (
        'Error(s) in loading state_dict for Sequential:\n\tMissing key(s) in state_dict: "0.bias". \n\t'
        'Unexpected key(s) in state_dict: "1.bias". \n\tsize mismatch for 0.weight: copying a param with shape '
        "torch.Size([3]) from checkpoint, the shape in current model is torch.Size([1, 2])."
    )
    keys = net.load_state_dict({"0.weight": torch.ones(1, 2)}, strict=False)
    assert (keys.missing_keys, keys.unexpected_keys) == (["0.bias"], [])


def test_hooks_around_saving_and_loading(torch: Any) -> None:
    """Pre-hooks come first, post-hooks last; each of them can be taken away."""
    seen: list[Any] = []
    net = torch.nn.Linear(1, 1)
    handles = [
        net.register_state_dict_pre_hook(lambda m, prefix, keep: seen.append("save")),
        net.register_state_dict_post_hook(lambda m, values, prefix, meta: seen.append(list(values))),
        net.register_load_state_dict_pre_hook(lambda m, *rest: seen.append("load")),
        net.register_load_state_dict_post_hook(lambda m, keys: seen.append(keys.missing_keys)),
    ]
    net.load_state_dict(net.state_dict())
    for handle in handles:
        handle.remove()
    net.load_state_dict(net.state_dict())
    assert seen == ["save", ["weight", "bias"], "load", []]


def test_lazy_module_takes_its_shape_from_a_checkpoint(torch: Any) -> None:
    """A lazy layer is given its shape by what is loaded."""
    lazy, full = torch.nn.LazyLinear(2), torch.nn.Linear(3, 2)
    lazy.load_state_dict(full.state_dict())
    assert torch.equal(lazy.weight, full.weight)
    lazy(torch.ones(1, 3))
    assert type(lazy) is torch.nn.Linear
