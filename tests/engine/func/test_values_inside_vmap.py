"""Functions that look at values, as pivots or places of a grid: inside vmap, under every transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated"),
    pytest.mark.filterwarnings("ignore:There is a performance drop"),
]


def one_by_one(torch: Any, function: Callable[..., Any], *batches: Any) -> Any:
    """What `function` gives for each example."""
    return torch.stack([function(*example) for example in zip(*batches, strict=True)])


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample(torch: Any, mode: str, padding: str) -> None:
    func = torch.func
    images = torch.linspace(-1, 1, 24, dtype=torch.float64).view(2, 1, 1, 3, 4).square()
    grids = torch.linspace(-1.3, 1.2, 16, dtype=torch.float64).view(2, 1, 2, 2, 2)

    def loss(image: Any, grid: Any) -> Any:
        read = torch.nn.functional.grid_sample(image, grid, mode, padding, False)
        return read.square().sum()

    for argnum in (0, 1):
        slope = func.grad(loss, argnum)
        torch.testing.assert_close(func.vmap(slope)(images, grids), one_by_one(torch, slope, images, grids))
    torch.testing.assert_close(
        func.vmap(func.grad(loss, 1), (None, 0))(images[0], grids),
        torch.stack([func.grad(loss, 1)(images[0], grid) for grid in grids]),
    )
    image, grid = images[0], grids[0]
    tracked = image.clone().requires_grad_()
    (expected,) = torch.autograd.grad(loss(tracked, grid), tracked)
    torch.testing.assert_close(
        func.vjp(lambda x: loss(x, grid), image)[1](torch.ones_like(loss(image, grid)))[0], expected
    )
    torch.testing.assert_close(func.jacrev(loss)(image, grid), expected)


@pytest.mark.parametrize("rows", [2, 3])
def test_lu(torch: Any, rows: int) -> None:
    func, lu = torch.func, torch.linalg.lu_factor
    batch = torch.tensor(
        [[[1.0, 5.0, 2.0], [3.0, 1.0, 2.0], [2.0, 2.0, 7.0]], [[4.0, 1.0, 2.0], [1.0, 3.0, 1.0], [6.0, 1.0, 5.0]]],
        dtype=torch.float64,
    )[:, :rows]

    def loss(a: Any) -> Any:
        return lu(a)[0].square().sum()

    for transform in (func.grad, func.jacrev, func.hessian):
        torch.testing.assert_close(
            func.vmap(transform(loss))(batch), one_by_one(torch, transform(loss), batch), rtol=1e-6, atol=1e-9
        )
    if rows == 3:
        for solved in (True, False):

            def loss_of_solution(a: Any, left: bool = solved) -> Any:
                return torch.linalg.lu_solve(*lu(a), torch.ones_like(a), left=left).square().sum()

            torch.testing.assert_close(
                func.vmap(func.grad(loss_of_solution))(batch), one_by_one(torch, func.grad(loss_of_solution), batch)
            )


def test_unpacked_factors_have_tangents_without_the_ones(torch: Any) -> None:
    packed = torch.tensor([[2.0, 3.0], [0.5, 4.0]])
    pivots = torch.tensor([1, 2], dtype=torch.int32)
    p, lower, upper = torch.func.jvp(lambda x: tuple(torch.lu_unpack(x, pivots)), (packed,), (packed * 2,))[1]
    assert p.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert lower.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert upper.tolist() == [[4.0, 6.0], [0.0, 8.0]]


def test_least_squares(torch: Any) -> None:
    func = torch.func
    a = torch.tensor([[[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]], [[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]]], dtype=torch.float64)
    b = torch.tensor([[[1.0], [2.0], [3.0]], [[0.0], [1.0], [1.0]]], dtype=torch.float64)

    def loss(a: Any, b: Any) -> Any:
        return torch.linalg.lstsq(a, b).solution.square().sum()

    for driver in ("gels", "gelsd", None):
        found = func.vmap(lambda a, b, driver=driver: torch.linalg.lstsq(a, b, driver=driver).solution)(a, b)
        torch.testing.assert_close(found, torch.linalg.lstsq(a, b).solution)
    for argnum in (0, 1):
        slope = func.grad(loss, argnum)
        torch.testing.assert_close(func.vmap(slope)(a, b), one_by_one(torch, slope, a, b))


def test_matrix_rank(torch: Any) -> None:
    rank, vmap = torch.linalg.matrix_rank, torch.func.vmap
    a = torch.stack([torch.eye(3), torch.ones(3, 3), torch.diag(torch.tensor([1.0, 1e-3, 1e-9]))])
    assert vmap(rank)(a).tolist() == rank(a).tolist() == [3, 1, 2]
    assert vmap(lambda x: rank(x, hermitian=True))(a).tolist() == [3, 1, 2]
    assert vmap(lambda x: rank(x, atol=0.01))(a).tolist() == [3, 1, 1]
    assert vmap(lambda x, bound: rank(x, atol=bound))(a, torch.tensor([2.0, 1e-4, 1e-12])).tolist() == [0, 1, 3]


def test_max_unpool(torch: Any) -> None:
    f, vmap = torch.nn.functional, torch.func.vmap
    x = torch.arange(32.0).view(2, 1, 4, 4)

    def apart(x: Any) -> Any:
        largest, places = f.max_pool2d(x, 2, return_indices=True)
        return f.max_unpool2d(largest, places, 2)

    assert vmap(apart)(x).tolist() == apart(x).tolist()
    outside = torch.tensor([[[[0, 1], [2, 99]]]])
    with pytest.raises(RuntimeError, match="Found an invalid max index: 99"):
        vmap(lambda places: f.max_unpool2d(x[0, :, :2, :2], places, 2))(outside)


def test_rrelu_is_refused(torch: Any) -> None:
    rrelu, func = torch.nn.functional.rrelu, torch.func
    with pytest.raises(RuntimeError, match="vmap: we do not yet support aten::rrelu. Please file an issue"):  # noqa: RUF043
        func.vmap(rrelu)(torch.ones(2, 2))
    with pytest.raises(RuntimeError, match="vmap: we do not yet support aten::rrelu_with_noise"):
        func.vmap(func.grad(lambda x: rrelu(x).sum()))(torch.ones(2, 2))


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("geqrf", lambda t, x: t.geqrf(x)[0]),
        ("ormqr", lambda t, x: t.ormqr(x, t.ones(2), t.eye(2))),
        ("_weight_norm_interface", lambda t, x: t._weight_norm(x, x[:, :1])),
    ],
)
def test_ops_without_forward_mode(torch: Any, name: str, call: Callable[..., Any]) -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    with pytest.raises(NotImplementedError, match=f"Trying to use forward AD with {name} that does not support it"):
        torch.func.jvp(lambda y: call(torch, y), (x,), (x,))
