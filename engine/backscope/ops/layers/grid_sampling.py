"""grid_sample and affine_grid: images read at any places, which are differentiated too."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export, torch_functions
from backscope.ops.core.recomputed import gradients_through
from backscope.runtime.given import Dtype, Option, Shape, Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.warning import warn
from backscope.tensor.dtype import FLOATING
from backscope.tensor.tensor import Tensor, of_raw

BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2
_MODES = {"bilinear": BILINEAR, "nearest": NEAREST, "bicubic": BICUBIC}
_PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}


def _unnormalized(place: Any, n: int, align_corners: bool) -> Any:
    """Convert coordinates from -1 to 1 to pixels from 0 to n - 1, or from -0.5 to n - 0.5."""
    return (place + 1) / 2 * (n - 1) if align_corners else ((place + 1) * n - 1) / 2


def _reflected(place: Any, n: int, align_corners: bool) -> Any:
    """Mirror coordinates outside of the image into it."""
    low, span = (0.0, float(n - 1)) if align_corners else (-0.5, float(n))
    if span == 0:
        return place * 0
    distance = (place - low).abs()
    flips = torch_functions["floor"](distance.detach() / span)
    extra = distance - flips * span
    even = flips % 2 == 0
    return torch_functions["where"](even, extra + low, span - extra + low)


def _padded(place: Any, n: int, padding_mode: int, align_corners: bool) -> Any:
    """Apply the padding to coordinates: clip them to the border, mirror them, or return them unchanged."""
    if padding_mode == REFLECTION:
        place = _reflected(place, n, align_corners)
    if padding_mode == ZEROS:
        return place
    held = place.detach() if isinstance(place._data, Absent) else place._data
    inside = (held > 0) & (held < n - 1)  # Coordinates on the border get no gradient, unlike from clamp.
    return torch_functions["where"](_tensor(inside), place, place.detach().clamp(0, n - 1))


def _tensor(value: Value) -> Any:
    return value if isinstance(value, Tensor) else of_raw(value)


def _floors(places: list[Any]) -> list[Any]:
    """Round coordinates down: raw ones, or tensors where a vmap maps over them."""
    return [p.detach().floor() if isinstance(p._data, Absent) else np.floor(p._data) for p in places]


def _nearest(place: Any) -> Any:
    """Raw places rounded to whole numbers, or tensors of them."""
    return place.detach().round() if isinstance(place, Tensor) else np.rint(place)  # type: ignore[attr-defined]


def _read(images: Value, at: list[Any]) -> Any:
    """The pixels at whole places, 0 outside of the image.

    Shape: images [N, C, ...], places [N, ...] per dim -> [N, C, ...].
    """
    if any(isinstance(a, Tensor) for a in at):
        return _read_mapped(images, [_tensor(a) for a in at])
    shape = images._data.shape[2:]
    inside = np.ones(at[0].shape, bool)
    flat = np.zeros(at[0].shape, np.int64)
    for n, place in zip(shape, at, strict=True):
        inside &= (place >= 0) & (place < n)
        flat = flat * n + np.clip(np.nan_to_num(place), 0, n - 1).astype(np.int64)
    batch, channels = images._data.shape[:2]
    places = int(np.prod(flat.shape[1:]))
    index = np.broadcast_to(flat.reshape(batch, 1, places), (batch, channels, places))
    found = images.reshape(batch, channels, int(np.prod(shape))).gather(2, of_raw(np.ascontiguousarray(index)))
    keep = of_raw(inside.reshape(batch, 1, *inside.shape[1:]).astype(images._data.dtype))
    return found.reshape(batch, channels, *flat.shape[1:]) * keep


def _read_mapped(images: Value, at: list[Any]) -> Any:
    """The values at places that a vmap maps over, read by ops."""
    shape = images.shape[2:]
    inside: Any = True
    flat: Any = 0
    for n, place in zip(shape, at, strict=True):
        inside = (place >= 0) & (place < n) & inside
        flat = place.nan_to_num().clamp(0, n - 1).long() + flat * n
    batch, channels = images.shape[:2]
    places = int(np.prod(flat.shape[1:]))
    index = flat.reshape(batch, 1, places).expand(batch, channels, places)
    found = images.reshape(batch, channels, int(np.prod(shape))).gather(2, index)
    return found.reshape(batch, channels, *flat.shape[1:]) * inside.unsqueeze(1).to(images.dtype)


def _cubic_weights(t: Value) -> list[Any]:
    a = -0.75

    def near(x: Value) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Value) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _sampled(images: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Any:
    """The images read at the places of the grid, by recorded ops."""
    shape = images._data.shape[2:]
    dims = len(shape)
    places = [_unnormalized(grid.select(-1, dims - 1 - d), shape[d], align_corners) for d in range(dims)]
    if interpolation_mode == BICUBIC:
        return _cubic(images, places, padding_mode, align_corners)
    places = [_padded(p, n, padding_mode, align_corners) for p, n in zip(places, shape, strict=True)]
    if interpolation_mode == NEAREST:
        nearest = [_nearest(p if isinstance(p._data, Absent) else p._data) for p in places]
        return _read(images, nearest) + _zero_of(places)
    total: Any = 0
    floors = _floors(places)
    parts = [p - _tensor(f) for p, f in zip(places, floors, strict=True)]
    for corner in itertools.product((0, 1), repeat=dims):
        weight: Any = 1
        for bit, part in zip(corner, parts, strict=True):
            weight = weight * (part if bit else 1 - part)
        pixels = _read(images, [f + bit for f, bit in zip(floors, corner, strict=True)])
        total = pixels * weight.unsqueeze(1) + total
    return total


def _zero_of(places: list[Any]) -> Any:
    """0, with a first and a second gradient of 0 for the places."""
    finite = [p.nan_to_num(0.0, 0.0, 0.0) for p in places]
    return sum((p * p * 0).sum() for p in finite)


def _cubic(images: Value, places: list[Any], padding_mode: int, align_corners: bool) -> Any:
    shape = images._data.shape[2:]
    floors = _floors(places)
    weights = [_cubic_weights(p - _tensor(f)) for p, f in zip(places, floors, strict=True)]
    total: Any = 0
    for i, j in itertools.product(range(4), repeat=2):
        at = [floors[0] + (i - 1), floors[1] + (j - 1)]
        if padding_mode != ZEROS:
            padded = [_padded(_tensor(a), n, padding_mode, align_corners) for a, n in zip(at, shape, strict=True)]
            at = [_nearest(p if isinstance(a, Tensor) else p._data) for p, a in zip(padded, at, strict=True)]
        total = _read(images, at) * (weights[0][i] * weights[1][j]).unsqueeze(1) + total
    return total


def _quietly(function: Callable[..., Any], *args: Any) -> Any:
    """Return the raw result of ops that are neither reported to the listener nor put on the tape."""
    listener, hub.listener = hub.listener, None
    before, mode.enabled = mode.enabled, False
    try:
        return function(*args)._data
    finally:
        hub.listener = listener
        mode.enabled = before


def _declare(dims: int) -> None:
    class grid_sampler:
        def forward(
            input: A,  # noqa: A002
            grid: A,
            interpolation_mode: int,
            padding_mode: int,
            align_corners: bool,
        ) -> A:
            return _quietly(_sampled, of_raw(input), of_raw(grid), interpolation_mode, padding_mode, align_corners)

        def grad(
            g: V,
            input: V,  # noqa: A002
            grid: V,
            interpolation_mode: V,
            padding_mode: V,
            align_corners: V,
            needs: Option,
        ) -> V:
            def run(images: Value, places: Values) -> Any:
                return (_sampled(images, places, interpolation_mode, padding_mode, align_corners),)

            if isinstance(input, Tensor):
                return gradients_through(run, [input, grid], needs, [g])
            leaves = [of_raw(input), of_raw(grid)]
            for leaf, needed in zip(leaves, needs, strict=True):
                leaf._requires_grad = needed
            found = gradients_through(run, leaves, needs, [of_raw(g)])
            return tuple([None if x is None else x._data for x in found])

    grid_sampler.__doc__ = f"Images of {dims} dims read at the places of a grid."
    op(
        name=f"grid_sampler_{dims}d",
        grad_fn=f"GridSampler{dims}DBackward0",
        symbol="sample",
        latex={"input": r"\textstyle\sum w\, g\ \text{by pixel}", "grid": r"g \cdot \nabla \text{input}"},
        summary={
            "input": "adds the incoming gradient to the pixels it was read from, by their weights",
            "grid": "multiplies the incoming gradient by the slope of {input} at each place",
        },
    )(grid_sampler)


for _dims in (2, 3):
    _declare(_dims)


@op(
    symbol="grid",
    latex={"theta": r"g^T \cdot \text{base}"},
    summary={"theta": "multiplies the incoming gradient by the corners' coordinates and sums"},
)
class affine_grid_generator:
    """The places that a matrix takes the pixels of an image to."""

    def forward(theta: A, size: Shape, align_corners: bool) -> A:
        base = _base(size, align_corners, theta.dtype)
        flat = base.reshape(-1, base.shape[-1])
        return np.matmul(flat, theta.swapaxes(1, 2)).reshape(size[0], *size[2:], len(size) - 2)

    def grad_theta(g: V, size: V, align_corners: V) -> V:
        return xp.affine_grid_generator_backward(g, size, align_corners)


@op(
    symbol="grid′",
    latex={"grad_output": r"\text{base} \cdot g^T"},
    summary={"grad_output": "applies the incoming matrix to the pixels' coordinates"},
)
class affine_grid_generator_backward:
    """The gradient of the matrix."""

    def forward(grad_output: A, size: Shape, align_corners: bool) -> A:
        base = _base(size, align_corners, grad_output.dtype)
        flat = base.reshape(-1, base.shape[-1])
        gradient = grad_output.reshape(size[0], len(flat), len(size) - 2)
        return np.matmul(flat.T, gradient).swapaxes(1, 2)

    def grad_grad_output(g: V, size: V, align_corners: V) -> V:
        return xp.affine_grid_generator(g, size, align_corners)


def _base(size: Shape, align_corners: bool, kind: Dtype) -> Any:
    """The coordinates from -1 to 1 of all pixels, and a 1 each."""
    lines = []
    for n in reversed(size[2:]):
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        lines.append((line if align_corners else line * (n - 1) / n).astype(kind))
    mesh = np.meshgrid(*reversed(lines), indexing="ij")
    return np.stack([*reversed(mesh), np.ones(tuple(size[2:]), kind)], -1)


def _check(input: Tensor, grid: Tensor, interpolation_mode: int) -> None:  # noqa: A002
    a, b = input._data, grid._data
    if a.shape[0] != b.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(a.shape)} and grid with sizes {list(b.shape)}"
        )
    if b.shape[-1] != a.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {a.ndim - 2} in last dimension, but got grid with sizes "
            f"{list(b.shape)}"
        )
    for d in range(2, a.ndim):
        if a.shape[d] == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(a.shape)} with dimension {d} being empty"
            )
    if a.ndim not in (4, 5) or a.ndim != b.ndim:
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes "
            f"{list(a.shape)} and grid with sizes {list(b.shape)}"
        )
    if a.ndim == 5 and interpolation_mode == BICUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input._dtype is not grid._dtype:
        raise RuntimeError(f"expected scalar type {input._dtype.type_name} but found {grid._dtype.type_name}")


@export("grid_sampler", "grid_sampler_2d", "grid_sampler_3d", method=False)
def _grid_sampler(
    input: Tensor,  # noqa: A002
    grid: Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> Any:
    """Images read at the places of a grid."""
    _check(input, grid, interpolation_mode)
    name = f"grid_sampler_{input._data.ndim - 2}d"
    return apply(primitives[name], input, grid, interpolation_mode, padding_mode, bool(align_corners))


def _aligned(align_corners: Option) -> bool:
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
            "details."
        )
    return bool(align_corners)


@export("grid_sample", function=False, method=False, nn=True)
def _grid_sample(
    input: Value,  # noqa: A002
    grid: Value,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: Option = None,
) -> Any:
    """Read images at the coordinates of a grid, from -1 to 1; ValueError for unknown modes.

    Shape: input [N, C, H, W], grid [N, h, w, 2] -> [N, C, h, w], or with a depth dim before H and h.
    """
    if mode not in _MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in _PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    for position, (name, value) in enumerate((("input", input), ("grid", grid)), 1):
        if not isinstance(value, Tensor):
            raise argument_error("grid_sampler", name, position, value)
    return _grid_sampler(input, grid, _MODES[mode], _PADDINGS[padding_mode], _aligned(align_corners))


@export("affine_grid", function=False, method=False, nn=True)
def _affine_grid(theta: Tensor, size: Shape, align_corners: Option = None) -> Any:
    """The grid that a batch of matrices makes; ValueError for matrices or sizes that do not fit.

    Shape: theta [N, 2, 3] and size (N, C, H, W) -> [N, H, W, 2], or [N, 3, 4] and a depth -> [N, D, H, W, 3].
    """
    aligned = _aligned(align_corners)
    if theta._dtype.category != FLOATING:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if theta._data.ndim != 3 or theta._data.shape[-2:] != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if aligned and 1 in size[2:]:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    return apply(primitives["affine_grid_generator"], theta, tuple(int(n) for n in size), aligned)
