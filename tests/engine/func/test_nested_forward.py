"""Forward mode inside forward mode: transforms nest in each other, not in a level that the program opens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")


def cube(x: Any) -> Any:
    """x³."""
    return x**3


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.func.jvp(cube, (t.ones(2),), (t.ones(2),)),
        lambda t: t.func.jacfwd(cube)(t.ones(2)),
        lambda t: t.func.hessian(lambda x: cube(x).sum())(t.ones(2)),
    ],
)
def test_transform_inside_an_open_level_is_refused(torch: Any, call: Callable[[Any], Any]) -> None:
    forward = torch.autograd.forward_ad
    with forward.dual_level(), pytest.raises(RuntimeError, match=r"^Nested forward mode AD is not supported"):
        call(torch)
    assert torch.func.jvp(cube, (torch.ones(1),), (torch.ones(1),))[1].tolist() == [3.0]


def test_transforms_nest_in_each_other(torch: Any) -> None:
    second = torch.func.jacfwd(torch.func.jacfwd(cube))(torch.ones(2))
    assert second.tolist() == [[[6.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 6.0]]]


def test_tangent_of_a_negated_view_is_laid_out_like_it(torch: Any) -> None:
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        dual = forward.make_dual(torch._neg_view(torch.ones(2, 3).t()), torch.ones(3, 2))
        tangent = forward.unpack_dual(dual).tangent
    assert tangent.stride() == (1, 3)
    assert tangent.tolist() == [[1.0, 1.0]] * 3
