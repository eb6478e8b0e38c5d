"""Nodes of functions made of several ops, and of in-place forms, bear the names that PyTorch gives them."""

from __future__ import annotations

import pytest

from backscope import torch


def tree(node) -> str:
    """A node and those below it by their names."""
    if node is None:
        return "-"
    below = ", ".join(tree(n) for n, _ in node.next_functions)
    name = type(node).__name__.replace("Backward", "")
    return "leaf" if name == "AccumulateGrad" else f"{name}({below})"


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda x, v: torch.fill(x, 2), "Fill0(leaf)"),
        (lambda x, v: x.clone().fill_(2), "Fill2(Clone0(leaf))"),
        (lambda x, v: x.clone().fill_(v[0]), "Fill3(Clone0(leaf), Select0(leaf))"),
        (lambda x, v: x.clone().conj_physical_(), "ConjPhysical1(Clone0(leaf))"),
        (lambda x, v: x.clone().copysign_(2.0), "Copysign1(Clone0(leaf))"),
        (lambda x, v: x.clone().polygamma_(1), "Polygamma1(Clone0(leaf))"),
        (lambda x, v: x.nanmedian(0).values, "Nanmedian1(leaf)"),
        (lambda x, v: torch.special.ndtr(x), "Mul1(Add1(Erf0(Mul1(leaf))))"),
        (lambda x, v: torch.linalg.vecdot(v, v), "Vdot0(leaf, leaf)"),
        (lambda x, v: torch.linalg.matrix_power(x, 0), "Copys(Clone0(leaf), -)"),
        (lambda x, v: torch.linalg.matrix_power(x, -1), "LinalgInvEx0(leaf)"),
        (lambda x, v: torch.linalg.multi_dot([x, x, x]), "View0(Mm0(Mm0(leaf, leaf), leaf))"),
        (lambda x, v: torch.linalg.matrix_norm(x, "nuc"), "Sum1(LinalgSvd0(Permute0(leaf)))"),
        (lambda x, v: v.diff(0), "Copys(-, leaf)"),
        (lambda x, v: torch.trapezoid(v), "Mul1(Sub0(Sum1(leaf), Mul1(Add0(Select0(leaf), Select0(leaf)))))"),
        (lambda x, v: torch.inner(v, v), "View0(Dot0(Permute0(leaf), Permute0(leaf)))"),
        (lambda x, v: v.masked_fill(x > 0, 1.0), "MaskedFill0(leaf)"),
        (lambda x, v: torch.fft.ihfftn(v), "Conj0(FftR2C0(leaf))"),
        (lambda x, v: torch.cdist(v.expand(30, 3), x), "View0(EuclideanDist0(Expand0(leaf), leaf))"),
        (lambda x, v: v.quantile(0.5), "Squeeze4(Lerp1(Gather0(View0(Sort0(leaf))), Gather0(View0(Sort0(leaf))), -))"),
        (lambda x, v: x[..., :3], "Alias0(leaf)"),
        (lambda x, v: x[:3], "Slice0(leaf)"),
    ],
)  # fmt: skip
def test_nodes_are_named_as_in_pytorch(call, names):
    x = (torch.eye(3) + 0.1).requires_grad_()
    v = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    assert tree(call(x, v).grad_fn) == names


def test_a_copy_may_be_an_argument_by_position():
    x = torch.ones(2, requires_grad=True)
    assert x.to(torch.float32, True) is x
    assert x.to(torch.float32, False, True) is not x
    assert x.to("cpu", torch.float32, False, True) is not x


def test_new_dims_of_an_expanded_tensor_have_the_strides_that_pytorch_gives_them():
    assert torch.ones(3).expand(1, 3).stride() == (3, 1)
    assert torch.ones(3).expand(2, 1, 3).stride() == (0, 3, 1)
    assert torch.ones(()).expand(1, 1).stride() == (0, 0)


def test_out_that_requires_grad_is_refused_before_shapes_are_checked():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.add(x, torch.ones(3), out=torch.empty(0))
