"""Saved tensors made by hand, whether hooks are enabled, and attributes of nodes that come from elsewhere."""

from __future__ import annotations

import warnings
from typing import Any

import pytest


def test_a_saved_tensor_made_by_hand_goes_through_the_hooks(torch: Any) -> None:
    """It is packed once, and unpacked each time that it is read, with the requires_grad that it had."""
    seen: list[str] = []
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)

    def pack(x: Any) -> Any:
        seen.append("pack")
        return x * 2

    def unpack(x: Any) -> Any:
        seen.append("unpack")
        return x / 2

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        saved = torch._C._autograd._make_saved_tensor(leaf, is_output=False)
    assert isinstance(saved, torch.autograd.SavedTensor)
    assert seen == ["pack"]
    read = [saved.unpack(), saved.unpack()]
    assert seen == ["pack", "unpack", "unpack"]
    assert [r.tolist() for r in read] == [[1.0, 2.0], [1.0, 2.0]]
    assert read[0].requires_grad
    assert read[0].grad_fn is None


def test_without_hooks_it_is_the_tensor_itself(torch: Any) -> None:
    """What was saved as an input is given back, and refused once it was changed in place."""
    held = torch.ones(2)
    saved = torch._C._autograd._make_saved_tensor(held, is_output=False)
    assert saved.unpack() is held
    assert saved.data is held
    held.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saved.unpack()


def test_whether_hooks_are_enabled(torch: Any) -> None:
    """Disabled inside of disable_saved_tensors_hooks, also nested."""
    enabled = torch._C._autograd._saved_tensors_hooks_is_enabled
    assert enabled()
    with torch.autograd.graph.disable_saved_tensors_hooks("outer"):
        with torch.autograd.graph.disable_saved_tensors_hooks("inner"):
            assert not enabled()
        assert not enabled()
    assert enabled()


def test_whether_the_pass_keeps_the_graph(torch: Any) -> None:
    """A formula can ask for the retain_graph of its pass."""
    kept: list[bool] = []

    class Asking(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            kept.append(torch._C._autograd._get_current_graph_task_keep_graph())
            return g

    out = Asking.apply(torch.ones(2, requires_grad=True)).sum()
    out.backward(retain_graph=True)
    out.backward()
    assert kept == [True, False]
    assert torch._C._autograd._get_current_graph_task_keep_graph() is True


def test_attributes_with_pytorchs_names(torch: Any) -> None:
    """Limits of losses, dims and numbers that a node shows although its formula has them otherwise."""
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    at = torch.tensor([0, 1])
    losses = torch.nn.functional
    assert losses.huber_loss(a, a * 2, delta=0.25).grad_fn._saved_delta == 0.25
    assert losses.smooth_l1_loss(a, a * 2, beta=0.5).grad_fn._saved_beta == 0.5
    assert a.index_add(0, at, a).grad_fn._saved_source_dim == 2
    assert a.detach().index_copy(0, at, a).grad_fn._saved_source_dim == 2
    assert losses.hardtanh(a, -1, 2).grad_fn._saved_min_val == -1
    assert "_saved_delta" in dir(losses.huber_loss(a, a * 2).grad_fn)
    assert "_saved_limit" not in dir(losses.huber_loss(a, a * 2).grad_fn)


def test_strides_are_of_what_gets_a_gradient(torch: Any) -> None:
    """A product shows the strides of the factors that it has gradients for."""
    a, b = torch.ones(2, 3, requires_grad=True), torch.ones(3, 2)
    assert a.mm(b).grad_fn._saved_self_sym_strides == (3, 1)
    assert a.mm(b).grad_fn._saved_mat2_sym_strides == ()


def test_a_quotient_that_is_said_not_to_be_rounded(torch: Any) -> None:
    """rounding_mode=None is another op to PyTorch than no rounding_mode, of the same values and gradients."""
    a = torch.tensor([3.0, 5.0], requires_grad=True)
    plain, said = a / 2, torch.div(a, 2.0, rounding_mode=None)
    assert (type(plain.grad_fn).__name__, type(said.grad_fn).__name__) == ("DivBackward0", "DivBackward2")
    assert said.grad_fn._saved_rounding_mode is None
    assert torch.div(a, 2.0, rounding_mode="trunc").grad_fn._saved_rounding_mode == "trunc"
    said.sum().backward()
    assert (said.tolist(), a.grad.tolist()) == ([1.5, 2.5], [0.5, 0.5])
    assert torch.div(torch.tensor(3), 2, rounding_mode=None).item() == 1.5
    assert torch.tensor([3.0]).div_(2, rounding_mode=None).tolist() == [1.5]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_level_of_forward_mode(torch: Any) -> None:
    """The number of the open level, and whether tangents are computed."""
    forward = torch.autograd.forward_ad
    assert forward._current_level == -1
    with forward.dual_level():
        assert forward._current_level == 0
        torch._C._set_fwd_grad_enabled(False)
        try:
            assert not forward._is_fwd_grad_enabled()
            dual = forward.make_dual(torch.ones(2), torch.ones(2))
            assert forward.unpack_dual(dual * 2).tangent is None
        finally:
            torch._C._set_fwd_grad_enabled(True)
    assert forward._is_fwd_grad_enabled()


def test_compared_shapes(torch: Any) -> None:
    """The shapes of an output and of its gradient, the latter without the batch."""
    out, gradient = torch.ones(2, 3, requires_grad=True), torch.ones(4, 2, 3)
    edge = torch.autograd.graph.get_gradient_edge(out)
    shapes = torch.autograd._calculate_shape
    assert shapes(out, gradient, True) == (torch.Size([2, 3]), torch.Size([2, 3]))
    assert shapes(out, gradient, False) == (torch.Size([2, 3]), torch.Size([4, 2, 3]))
    assert shapes(edge, gradient, False) == (torch.Size([2, 3]), torch.Size([4, 2, 3]))


def test_the_older_vmap(torch: Any) -> None:
    """It maps over leading dims, and gives a tensor that only passes through back itself."""
    older = torch._vmap_internals._vmap
    batch = torch.arange(6.0).view(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        assert older(lambda x: x, 0, 0)(batch) is batch
        assert older(lambda x, y: (x * y).sum(), (0, None))(batch, torch.ones(3)).tolist() == [3.0, 12.0]
        assert older(lambda x: x * 2, 1, 1)(batch).tolist() == (batch * 2).tolist()


def test_distinct_elements_with_all_results(torch: Any) -> None:
    """The private forms give every result, empty where it was not requested; none of the nodes has a formula."""
    x = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
    values, inverse = torch._unique(x, return_inverse=True)
    assert (values.tolist(), inverse.tolist()) == ([1.0, 2.0], [1, 0, 1])
    assert type(values.grad_fn).__name__ == "UniqueBackward0"
    values, inverse, counts = torch._unique2(x, return_counts=True)
    assert (tuple(inverse.shape), counts.tolist()) == ((0,), [1, 2])
    assert [t.tolist() for t in torch._VF.unique_dim(x, 0)] == [[1.0, 2.0], [1, 0, 1], [1, 2]]
    with pytest.raises((NotImplementedError, RuntimeError), match="the derivative for '_unique' is not implemented"):
        torch._unique(x)[0].sum().backward()
