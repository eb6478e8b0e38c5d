"""Tensor itself: shape and strides, requires_grad and leaves, detach and data, conversions to Python and numpy."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest


def test_shape_is_a_size(torch: Any) -> None:
    """A tuple that prints as torch.Size and stays one."""
    shape = torch.ones(2, 3).shape
    assert shape == (2, 3) and repr(shape) == "torch.Size([2, 3])"
    assert shape.numel() == 6
    assert repr(shape[1:]) == "torch.Size([3])" and shape[-1] == 3
    assert repr(shape + (4,)) == "torch.Size([2, 3, 4])"  # noqa: RUF005


def test_leaf_and_flags(torch: Any) -> None:
    """What is a leaf, what requires grad, before and after an op."""
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert (x.is_leaf, x.requires_grad, x.grad_fn) == (True, True, None)
    assert (y.is_leaf, y.requires_grad) == (False, True)
    assert torch.ones(2).is_leaf
    assert (y.output_nr, x.split(1)[1].output_nr) == (0, 1)
    assert not (x > 0).requires_grad


def test_requires_grad_(torch: Any) -> None:
    """Returns the tensor; setting what a non-leaf has does nothing."""
    x = torch.ones(2)
    assert x.requires_grad_() is x and x.requires_grad
    y = x * 2
    assert y.requires_grad_() is y
    with pytest.raises(RuntimeError, match=r"^you can only change requires_grad flags of leaf variables.$"):
        y.requires_grad = True


def test_detach(torch: Any) -> None:
    """Off the tape, on the same memory."""
    x = torch.ones(2, requires_grad=True)
    d = (x * 2).detach()
    assert d.is_leaf and not d.requires_grad
    y = x * 2
    assert y.detach_() is y and y.is_leaf and not y.requires_grad


def test_data_replaces_the_memory(torch: Any) -> None:
    """Assigning `.data` changes values and dtype of a leaf, not its place on the tape."""
    x = torch.ones(2, requires_grad=True)
    x.data = torch.tensor([5.0, 6.0])
    assert x.tolist() == [5.0, 6.0] and x.requires_grad and x.is_leaf
    (x * x).sum().backward()
    assert x.grad.tolist() == [10.0, 12.0]


def test_conversions(torch: Any) -> None:
    """item, tolist, int, float, bool, complex, index and format of single elements."""
    assert torch.tensor(3).item() == 3 and isinstance(torch.tensor(3).item(), int)
    assert torch.tensor([[2.5]]).item() == 2.5
    assert torch.tensor(True).item() is True
    assert int(torch.tensor(2.9)) == 2
    assert float(torch.tensor(2)) == 2.0
    assert complex(torch.tensor(1 + 2j)) == 1 + 2j
    assert bool(torch.tensor([0.0])) is False
    assert [10, 20, 30][torch.tensor(1)] == 20
    assert f"{torch.tensor(3.14159):.2f}" == "3.14"
    assert torch.tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert torch.tensor(2.5, dtype=torch.bfloat16).item() == 2.5
    assert len(torch.ones(3, 2)) == 3


def test_float_of_tracked_warns(torch: Any) -> None:
    """Converting what requires grad loses the graph, which PyTorch says."""
    x = torch.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert float(x) == 2.0
    assert x.item() == 2.0


def test_grad_of_a_non_leaf_warns(torch: Any) -> None:
    """On every access, unless it retains its gradient."""
    y = torch.tensor(2.0, requires_grad=True) * 2
    for _ in range(2):
        with pytest.warns(UserWarning, match="attribute of a Tensor that is not a leaf Tensor is being accessed"):
            assert y.grad is None
    y.retain_grad()
    assert y.grad is None


def test_numpy_shares_memory(torch: Any) -> None:
    """numpy() is the tensor's memory, also of a 0-d tensor."""
    for t in (torch.zeros(2), torch.zeros(())):
        array = t.numpy()
        array += 3
        assert t.sum().item() == 3.0 * t.numel()
    assert np.asarray(torch.ones(2)).tolist() == [1.0, 1.0]


def test_identity_not_equality_hashes(torch: Any) -> None:
    """Tensors are dict keys by identity."""
    a, b = torch.ones(1), torch.ones(1)
    assert {a: 1, b: 2}[b] == 2


def test_deepcopy_and_pickle(torch: Any) -> None:
    """Copies of leaves keep requires_grad and the gradient; a non-leaf can't be deep-copied."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    other = copy.deepcopy(x)
    assert other is not x and other.tolist() == [1.0, 2.0] and other.requires_grad
    assert other.grad.tolist() == [2.0, 4.0]
    again = pickle.loads(pickle.dumps(x))
    assert again.tolist() == [1.0, 2.0] and again.requires_grad
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_contains(torch: Any) -> None:
    """`in` looks at elements."""
    assert 2 in torch.tensor([1, 2]) and 3 not in torch.tensor([1, 2])


def test_node_attributes(torch: Any) -> None:
    """name, next_functions, metadata and calling a node by hand."""
    x = torch.ones(2, requires_grad=True)
    node = (x * 3).grad_fn
    assert node.name() == type(node).__name__ == "MulBackward0"
    (below, number), (constant, _) = node.next_functions
    assert below.name() == "torch::autograd::AccumulateGrad"
    assert (number, constant, below.variable is x) == (0, None, True)
    node.metadata["note"] = 1
    assert node.metadata == {"note": 1}
    assert node(torch.tensor([1.0, 2.0]))[0].tolist() == [3.0, 6.0]


def test_one_accumulator_for_one_leaf(torch: Any) -> None:
    """All uses of a leaf lead to the same node while a graph holds it."""
    x = torch.ones(2, requires_grad=True)
    a, b = x * 2, x.exp()
    assert a.grad_fn.next_functions[0][0] is b.grad_fn.next_functions[0][0]


def test_addresses_of_nodes_are_counted(ours: Any) -> None:
    """A node prints an address that is its own and stays."""
    x = ours.ones(2, requires_grad=True)
    a, b = (x * 2).grad_fn, (x * 2).grad_fn
    assert repr(a) == repr(a) != repr(b)
    assert repr(a).startswith("<MulBackward0 object at 0x7f")


def test_subclasses_print_their_name(ours: Any) -> None:
    """A Parameter as PyTorch prints it, any other subclass by its name."""
    from backscope.tensor.tensor import Tensor, make

    special = make(np.ones(2, np.float32), ours.float32)
    special._requires_grad = True
    special.__class__ = type("Special", (Tensor,), {"__slots__": ()})
    assert repr(special) == "Special([1., 1.], requires_grad=True)"
    parameter = ours.nn.Parameter(ours.ones(2))
    assert repr(parameter) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
