"""Values and gradients where formulas divide by 0: zeros, ties, NaN, singular matrices, negative bases."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("matrix", [[[4.0, 2], [2, 1]], [[0.0, 0], [0, 0]], [[1.0, 2], [3, 4]], [[0.0, 1], [0, 0]]])
def test_determinants_derived(torch: Any, matrix: Any) -> None:
    """The gradient of a determinant that is derived again holds for singular matrices too."""
    (a, b), (c, d) = matrix
    m = torch.tensor(matrix, dtype=torch.double, requires_grad=True)
    (g,) = torch.autograd.grad(m.det(), m, create_graph=True)
    assert torch.allclose(g, torch.tensor([[d, -c], [-b, a]], dtype=torch.double))
    assert type(g.grad_fn).__name__ == ("LinalgSolveExBackward0" if a * d != b * c else "MmBackward0")
    if matrix[0] == [0.0, 0]:
        return
    (second,) = torch.autograd.grad(g[0, 0], m)
    assert torch.allclose(second, torch.tensor([[0, 0], [0, 1]], dtype=torch.double))


def test_determinants_of_several(torch: Any) -> None:
    """Each of a batch by the way that suits it, and without a graph with pivots that are not 0."""
    m = torch.tensor([[[4.0, 2], [2, 1]], [[1, 2], [3, 4]]], dtype=torch.double, requires_grad=True)
    (g,) = torch.autograd.grad(m.det().sum(), m, create_graph=True)
    assert torch.allclose(g, torch.tensor([[[1, -2], [-2, 4]], [[4, -3], [-2, 1]]], dtype=torch.double))
    assert torch.autograd.grad(m.det().sum(), m)[0][0].tolist() == [[0, 0], [0, 0]]
    assert str(torch.tensor([[1.0, 2], [2, 4]]).det()) == "tensor(-0.)"
    assert (torch.eye(2) * 1e-30).det().item() == 0
    assert torch.autograd.gradgradcheck(torch.det, (torch.rand(3, 3, dtype=torch.double, requires_grad=True),))


def test_products_with_zeros(torch: Any) -> None:
    """First and second derivatives of products are exact with one zero, and with several."""
    c = torch.tensor([2.0, 0, 3, 0], dtype=torch.double, requires_grad=True)
    for product in (torch.prod, lambda t: t.prod(0), lambda t: t.cumprod(0)):
        assert torch.autograd.gradgradcheck(product, c)
        (g,) = torch.autograd.grad(product(c).sum(), c, create_graph=True)
        assert g.requires_grad
    (g,) = torch.autograd.grad(c.prod(), c, create_graph=True)
    assert torch.autograd.grad(g.sum(), c)[0].tolist() == [0, 6, 0, 6]
    (g,) = torch.autograd.grad(c.cumprod(0).sum(), c, create_graph=True)
    assert (type(g.grad_fn).__name__, g.tolist()) == ("CopySlices", [1, 8, 0, 0])


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["amax", "amin"])
def test_ties_of_reductions(torch: Any, reduce: str, include_self: bool) -> None:
    """A tie is shared by all that are equal, self among them even where it is left out; NaN spoils all."""
    x = torch.tensor([5.0, 1], requires_grad=True)
    s = torch.tensor([5.0, 5], requires_grad=True)
    at = torch.tensor([0, 0])
    third = pytest.approx([1 / 3, 1 / 3])
    for y in (
        x.scatter_reduce(0, at, s, reduce, include_self=include_self),
        x.index_reduce(0, at, s, reduce, include_self=include_self),
    ):
        own, other = torch.autograd.grad(y.sum(), [x, s])
        assert other.tolist() == third
        assert own.tolist() == pytest.approx([1 / 3 if include_self else 0, 1])
    bad = torch.tensor([float("nan"), 1], requires_grad=True)
    own, other = torch.autograd.grad(x.scatter_reduce(0, at, bad, reduce, include_self=include_self).sum(), [x, bad])
    assert other.isnan().all()
    assert own.isnan().tolist() == [include_self, False]


def test_sources_that_the_index_leaves_out(torch: Any) -> None:
    """PyTorch has no gradient of a source that is larger than its index."""
    at = torch.tensor([[0, 1]])
    for reduce in ("sum", "mean", "prod", "amax", "amin"):
        w = torch.ones(1, 3, requires_grad=True)
        y = torch.zeros(1, 2).scatter_reduce(1, at, w, reduce)
        text = (
            r"Function ScatterReduceBackward0 returned an invalid gradient at index 1 - got \[1, 2\] but expected"
            if reduce in ("sum", "mean")
            else r"The size of tensor a \(3\) must match the size of tensor b \(2\) at non-singleton dimension 1"
        )
        with pytest.raises(RuntimeError, match=text):
            y.sum().backward()


def test_zeros_scattered_to_one_place(torch: Any) -> None:
    """The second derivative of a product with several zeros is an error when it is computed."""
    x, at = torch.ones(3, requires_grad=True), torch.tensor([0, 0, 0])
    s = torch.tensor([0.0, 1, 0], requires_grad=True)
    own, other = torch.autograd.grad(x.scatter_reduce(0, at, s, "prod").sum(), [x, s], create_graph=True)
    own.sum().backward()
    with pytest.raises(RuntimeError, match="Double backward is unsupported for src when >1 zeros in src are scattered"):
        other.sum().backward()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x, i, s: x.scatter_reduce(0, i, s, "amax"), RuntimeError, "index -1 is out of bounds for dimension 0"),
        (lambda x, i, s: x.scatter_reduce_(0, i, s, "sum"), RuntimeError, "index -1 is out of bounds for dimension 0"),
        (lambda x, i, s: x.index_add(0, i, s), IndexError, "index out of range in self"),
        (lambda x, i, s: x.index_add_(0, i, s), IndexError, "index out of range in self"),
        (lambda x, i, s: x.index_reduce(0, i, s, "amax"), IndexError, "index out of range in self"),
        (
            lambda x, i, s: x.index_copy(0, i, s),
            IndexError,
            r"index_copy_\(\): index -1 is out of bounds for dimension 0",
        ),
        (lambda x, i, s: x.put(i - 2, s), IndexError, "tried to access index -3 on a tensor of 2 elements"),
    ],
)
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_negative_indices_are_refused(torch: Any, call: Any, error: type, text: str) -> None:
    """Functions that write at indices do not count from the end."""
    with pytest.raises(error, match=text):
        call(torch.zeros(2), torch.tensor([-1]), torch.ones(1))


def test_powers_of_negative_numbers(torch: Any) -> None:
    """With complex exponents they have a logarithm; a complex 0 has the powers that exp(y ln 0) has."""
    base = torch.tensor([-1.0], dtype=torch.double, requires_grad=True)
    e = torch.tensor([0.3 + 0.5j], dtype=torch.cdouble, requires_grad=True)
    o = torch.pow(base, e)
    o.backward(torch.ones_like(o))
    assert e.grad.item() == pytest.approx(-0.52835 - 0.38387j, abs=1e-4)
    zero = torch.zeros(1, dtype=torch.cdouble)
    assert str(zero ** e.detach()) == "tensor([0.-0.j], dtype=torch.complex128)"
    assert (zero ** torch.zeros_like(zero)).isnan().all()
    assert (zero**0).item() == 1


def test_signs_of_zero(torch: Any) -> None:
    """Gradients of distances have no negative zeros; the loss of an empty target is one."""
    x = torch.tensor([[1.0, 2], [3, 4]], requires_grad=True)
    y = torch.tensor([[1.0, 2], [3, 5]], requires_grad=True)
    (g,) = torch.autograd.grad(torch.cdist(x, y, p=0.0).sum(), y)
    assert not torch.signbit(g).any()
    log_probs = torch.zeros(6, 1, 3).log_softmax(2)
    none = torch.tensor([0])
    loss = torch.nn.functional.ctc_loss(log_probs, torch.tensor([[1, 2]]), none, none, reduction="none")
    assert str(loss) == "tensor([-0.])"


@pytest.mark.parametrize("name", ["acosh_", "asinh_", "atanh_", "arccosh_"])
def test_functions_without_a_derivative_in_place(torch: Any, name: str) -> None:
    """PyTorch has none of acosh, asinh and atanh where they change their input; the node says so once it runs."""
    x = torch.tensor([1.5], requires_grad=True)
    y = getattr(x.clone(), name)()
    inner = name.strip("_").replace("arc", "a")
    assert type(y.grad_fn).__name__ == f"{inner.capitalize()}Backward1"
    for graph in (False, True):
        with pytest.raises(NotImplementedError, match=f"the derivative for 'inplace version of {inner}' is not impl"):
            torch.autograd.grad(y.sum(), x, create_graph=graph, retain_graph=True)
    assert getattr(torch.tensor([0.5]), name)().shape == (1,)


def test_parts_joined(torch: Any) -> None:
    """Infinities and signs of zero stay what they are in complex numbers."""
    z = torch.complex(torch.tensor(1.0), torch.tensor(float("inf")))
    assert (z.real.item(), z.imag.item()) == (1.0, float("inf"))
    assert str(torch.complex(torch.tensor([1.0]), torch.tensor([-0.0]))) == "tensor([1.-0.j])"
