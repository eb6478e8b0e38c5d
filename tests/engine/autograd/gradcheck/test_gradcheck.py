"""gradcheck: what passes, what it finds, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit")


def values(torch: Any) -> Any:
    """Two tracked doubles."""
    return torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}, {"check_forward_ad": True}])
def test_right_gradients_pass(torch: Any, options: dict[str, bool]) -> None:
    """Real and complex, whole Jacobians and projections."""
    z = torch.tensor([0.3 + 0.2j, 0.7 - 1j], dtype=torch.complex128, requires_grad=True)
    for function in (torch.sin, torch.abs):
        assert torch.autograd.gradcheck(function, (values(torch),), **options)
        assert torch.autograd.gradcheck(function, (z,), **options)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_wrong_gradients_are_found(torch: Any, fast_mode: bool) -> None:
    """The error tells both Jacobians; without raise_exception it is False."""
    x = values(torch)

    def wrong(x: Any) -> Any:
        return x * x.detach()

    assert not torch.autograd.gradcheck(wrong, (x,), raise_exception=False, fast_mode=fast_mode)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0,\nnumerical:"):
        torch.autograd.gradcheck(wrong, (x,), fast_mode=fast_mode)


def test_second_derivatives(torch: Any) -> None:
    """gradgradcheck draws gradients of its own."""
    assert torch.autograd.gradgradcheck(lambda x: x**3, (values(torch),))


def test_outputs_off_the_tape_must_not_depend_on_the_input(torch: Any) -> None:
    """A forgotten gradient is an error, a constant is not."""
    x = values(torch)
    assert torch.autograd.gradcheck(lambda x: x.detach() * 0, (x,))
    with pytest.raises(RuntimeError, match="expected to be zero"):
        torch.autograd.gradcheck(lambda x: x.detach() * 2, (x,))


def test_inputs(torch: Any) -> None:
    """An input must require grad; other dtypes than double warn; overlapping memory is refused."""
    with pytest.raises(ValueError, match="at least one input tensor"):
        torch.autograd.gradcheck(torch.sin, (torch.ones(1, dtype=torch.float64),))
    with pytest.warns(UserWarning, match="not a double precision"):
        torch.autograd.gradcheck(lambda x: x * 2, (torch.ones(1, requires_grad=True),), eps=1e-2, atol=1e-2)
    with pytest.raises(RuntimeError, match="stride 0"):
        torch.autograd.gradcheck(torch.sin, (values(torch)[:1].expand(3),))


def _sparse_input(torch: Any) -> Any:
    return torch.tensor([[0, 1.0, 2], [0, 0, 3]], dtype=torch.float64).to_sparse().requires_grad_()


@pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly disabled")
@pytest.mark.parametrize("fast_mode", [False, True])
def test_sparse_inputs_are_moved_where_they_hold_values(torch: Any, fast_mode: bool) -> None:
    """With `masked` the other elements are no inputs."""
    check = torch.autograd.gradcheck
    assert check(lambda x: x.to_dense() ** 2, (_sparse_input(torch),), masked=True, fast_mode=fast_mode)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly disabled")
def test_sparse_inputs_are_filled_up_unless_masked(torch: Any) -> None:
    """A gradient that leaves out elements without a value is then wrong, and one that has them right."""
    check = torch.autograd.gradcheck
    x = _sparse_input(torch)
    assert check(lambda x: x.to_dense(masked_grad=False), (x,))
    assert not check(lambda x: x.to_dense(masked_grad=False), (x,), masked=True, raise_exception=False)
    assert not check(lambda x: x.to_dense(), (x,), raise_exception=False)


def test_sparse_outputs_are_refused(torch: Any) -> None:
    with pytest.raises(ValueError, match="Sparse output is not supported at gradcheck yet"):
        torch.autograd.gradcheck(lambda x: x * 2, (_sparse_input(torch),), masked=True)
