"""Convolutions give the sums of their definition, for every layout of the windows and every cut into pieces."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from backscope.ops.layers import convolution, padded_images
from backscope.ops.layers.im2col import Window
from backscope.ops.layers.padded_images import framing

# Lengths, kernel, stride, padding, dilation, groups, channels in and out.
SETTINGS = [
    ((6, 5), (3, 3), (1, 1), (1, 1), (1, 1), 1, 3, 4),
    ((6, 5), (3, 2), (1, 1), (0, 1), (1, 2), 1, 8, 2),
    ((5, 6), (3, 3), (1, 1), (2, 0), (1, 1), 1, 16, 2),
    ((5, 4), (1, 2), (1, 1), (1, 2), (1, 1), 1, 2, 3),
    ((6, 6), (3, 3), (2, 1), (1, 1), (1, 1), 1, 2, 3),
    ((6, 6), (3, 3), (1, 1), (1, 1), (1, 1), 2, 4, 6),
    ((6, 6), (3, 3), (1, 1), (1, 1), (2, 2), 4, 4, 4),
    ((7, 6), (3, 3), (2, 2), (1, 1), (1, 1), 4, 4, 8),
    ((5, 5), (1, 1), (1, 1), (0, 0), (1, 1), 1, 3, 2),
    ((9,), (3,), (1,), (1,), (2,), 1, 2, 3),
    ((4, 5, 6), (2, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1, 8, 2),
]


def by_definition(image, weight, window, places, groups):
    """All products of a kernel's elements with the pixels they meet, one place after the other."""
    n, c = image.shape[:2]
    out = np.zeros((n, len(weight), *places))
    share, own = c // groups, len(weight) // groups
    for place in itertools.product(*map(range, places)):
        for offset in itertools.product(*map(range, window.kernel)):
            at = [
                q * s + o * d - p
                for q, s, o, d, p in zip(place, window.stride, offset, window.dilation, window.padding, strict=True)
            ]
            if any(a < 0 or a >= m for a, m in zip(at, image.shape[2:], strict=True)):
                continue
            for g in range(groups):
                pixels = image[(slice(None), slice(g * share, (g + 1) * share), *at)]
                kernels = weight[(slice(g * own, (g + 1) * own), slice(None), *offset)]
                out[(slice(None), slice(g * own, (g + 1) * own), *place)] += pixels @ kernels.T
    return out


@pytest.fixture(params=[1, 2000, 1 << 20], ids=["one image at a time", "several", "all at once"])
def column_bytes(request, monkeypatch):
    for module in (padded_images, convolution):
        monkeypatch.setattr(module, "COLUMN_BYTES", request.param)
    caches = (framing, convolution._mirrored_framing)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_products_and_both_transposes_are_those_of_the_definition(setting, column_bytes):
    lengths, kernel, stride, padding, dilation, groups, channels, out = setting
    draw = np.random.default_rng(0).standard_normal
    window = Window(kernel, stride, padding, dilation)
    places = window.lengths(lengths)
    image, weight, bias = draw((3, channels, *lengths)), draw((out, channels // groups, *kernel)), draw(out)
    maps = draw((3, out, *places))
    product = by_definition(image, weight, window, places, groups)
    shown = bias.reshape(-1, *[1] * len(kernel))
    found = convolution.correlate(image, weight, window, places, groups, bias)
    np.testing.assert_allclose(found, product + shown, atol=1e-12)

    # Transposes are known by what they do: <maps, product> = <spread, image> = <contract, weight>, for all of each.
    of_image, of_weight = convolution.spread_and_contract(maps, image, weight, window, groups)
    probe, kernels = draw(image.shape), draw(weight.shape)
    through = by_definition(probe, weight, window, places, groups)
    np.testing.assert_allclose((maps * through).sum(), (of_image * probe).sum(), rtol=1e-10)
    through = by_definition(image, kernels, window, places, groups)
    np.testing.assert_allclose((maps * through).sum(), (of_weight * kernels).sum(), rtol=1e-10)
    np.testing.assert_allclose(convolution.spread(maps, weight, lengths, window, groups), of_image, atol=1e-12)
    alone, sums = convolution.contract(maps, image, weight.shape, window, groups, sums=True)
    np.testing.assert_allclose(alone, of_weight, atol=1e-12)
    if sums is not None:
        np.testing.assert_allclose(sums, maps.sum(axis=(0, *range(2, maps.ndim))), atol=1e-12)


def test_many_channels_are_added_up_row_by_row_of_the_kernel():
    window = Window((3, 3), (1, 1), (1, 1), (1, 1))
    assert framing((2, 32, 8, 8), window, (8, 8), 4, 1, 4).parts == 3
    assert framing((2, 4, 8, 8), window, (8, 8), 32, 1, 4).parts == 1


def test_columns_of_a_large_batch_stay_small():
    window = Window((3, 3), (1, 1), (1, 1), (1, 1))
    frame = framing((64, 8, 32, 32), window, (32, 32), 16, 1, 4)
    sizes = [columns.nbytes for _, columns in frame.columns(np.zeros((64, 8, 32, 32), np.float32))]
    assert len(sizes) > 1
    assert max(sizes) <= padded_images.COLUMN_BYTES


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_pixel_spoils_only_the_kernel_elements_that_meet_it(bad, groups):
    draw = np.random.default_rng(3).standard_normal
    image, weight, maps = draw((2, 4, 6, 5)), draw((4, 4 // groups, 3, 3)), draw((2, 4, 6, 5))
    image[0, 0, 2, -1] = bad  # In the last column: the left elements of a kernel never meet it.
    window = Window((3, 3), (1, 1), (1, 1), (1, 1))
    for of_weight in (
        convolution.contract(maps, image, weight.shape, window, groups)[0],
        convolution.spread_and_contract(maps, image, weight, window, groups)[1],
    ):
        assert np.isfinite(of_weight[:, :, :, 0]).all()
        spoilt = np.zeros(of_weight.shape, bool)
        spoilt[: 4 // groups, 0, :, 1:] = True
        assert np.array_equal(~np.isfinite(of_weight), spoilt)


def test_no_images_have_maps_and_gradients():
    window = Window((3, 3), (1, 1), (1, 1), (1, 1))
    image, weight = np.zeros((0, 4, 6, 5)), np.ones((8, 4, 3, 3))
    maps = convolution.correlate(image, weight, window, (6, 5), 1, np.ones(8))
    assert maps.shape == (0, 8, 6, 5)
    of_image, of_weight = convolution.spread_and_contract(maps, image, weight, window, 1)
    assert of_image.shape == image.shape
    assert np.array_equal(of_weight, np.zeros(weight.shape))
    assert np.array_equal(convolution._sums_of_maps(maps), np.zeros(8))


def test_a_transposed_convolution_may_leave_nothing():
    window = Window((2,), (1,), (1,), (1,))
    assert convolution.spread(np.ones((2, 1, 1)), np.ones((1, 8, 2)), (0,), window, 1).shape == (2, 8, 0)
