"""Samples of views in memory of their own, of writing where a view would read, and of stretches of a dim."""

from __future__ import annotations

from backscope_op_samples import BATCH, MATRIX, ROW, SIGNED, Sample, quietly, values

PART = values(2, 2, low=-0.7, high=0.6, seed=80)

COPIES = [
    Sample("alias_copy", lambda t, a: t.alias_copy(a), (SIGNED,)),
    Sample("as_strided_copy", lambda t, a: t.as_strided_copy(a, (2, 2), (1, 2), 1), (SIGNED,)),
    Sample("detach_copy", lambda t, a: t.detach_copy(a), (SIGNED.T,), differentiable=False),
    Sample("expand_copy", lambda t, a: t.expand_copy(a, (2, 3, 2)), (MATRIX,)),
    Sample("narrow_copy", lambda t, a: t.narrow_copy(a, 1, 1, 2), (SIGNED,)),
    Sample("permute_copy", lambda t, a: t.permute_copy(a, (2, 0, 1)), (BATCH,)),
    Sample("reshape_alias_copy", lambda t, a: t._reshape_alias_copy(a, (6,), (1,)), (SIGNED,)),
    Sample("select_copy", lambda t, a: t.select_copy(a, 1, -1), (SIGNED,)),
    Sample("slice_copy", lambda t, a: t.slice_copy(a, 1, 0, 3, 2), (SIGNED,)),
    Sample("split_copy", lambda t, a: t.split_copy(a, 2, 1)[0], (SIGNED,)),
    Sample("split_with_sizes_copy", lambda t, a: t.split_with_sizes_copy(a, (1, 2), 1)[1], (SIGNED,)),
    Sample("squeeze_copy", lambda t, a: t.squeeze_copy(a[None]), (SIGNED,)),
    Sample("squeeze_dim_copy", lambda t, a: t.squeeze_copy(a[None], 0), (SIGNED,)),
    Sample("squeeze_dims_copy", lambda t, a: t.squeeze_copy(a[None], (0, 1)), (SIGNED,)),
    Sample("t_copy", lambda t, a: t.t_copy(a), (SIGNED,)),
    Sample("transpose_copy", lambda t, a: t.transpose_copy(a, 0, 2), (BATCH,)),
    Sample("unbind_copy", lambda t, a: t.unbind_copy(a, 1)[2], (SIGNED,)),
    Sample("unfold_copy", lambda t, a: t.unfold_copy(a, 1, 2, 1), (SIGNED,)),
    Sample("unsqueeze_copy", lambda t, a: t.unsqueeze_copy(a, 1), (SIGNED,)),
    Sample("view_copy", lambda t, a: t.view_copy(a, (3, 2)), (SIGNED,)),
    Sample("view_as_real_copy", lambda t, a: t.view_as_real_copy(a), (SIGNED + 1j * SIGNED[::-1],), kinds=()),
    Sample("as_strided_scatter", lambda t, b: t.as_strided_scatter(t.zeros(2, 3).to(b), b, (2, 2), (1, 2), 1), (PART,)),
]

LENGTHS = values(2, 4, low=-0.9, high=0.8, seed=81)


def inside(t):  # type: ignore[no-untyped-def]
    """A mask and indices of which one lies outside."""
    return t.tensor([True, False, True]), [t.tensor([1, 7, 0]), t.tensor([2, 1, 0])]


PLACES = [
    Sample("segment_reduce", lambda t, a: t.segment_reduce(a, "prod", lengths=t.tensor([[1, 3], [2, 2]]), axis=1),
           (LENGTHS,), kinds=("float32",), twice=False),
    Sample("segment_reduce", lambda t, a: t.segment_reduce(a, "mean", offsets=t.tensor([0, 1, 2])), (LENGTHS,),
           kinds=("float32",), twice=False),
    Sample("segment_reduce_backward", lambda t, a: t.segment_reduce(a, "max", lengths=t.tensor([2])), (LENGTHS,),
           differentiable=False),
    Sample("scatter_with", quietly(lambda t, a: t.scatter(a, 1, t.tensor([[0, 2, 0]]), a * 2, reduce="multiply")),
           (SIGNED,), differentiable=False),
    *[
        Sample("index_reduce", quietly(lambda t, a, b, r=r: t.index_reduce(a, 1, t.tensor([2, 0, 2]), b, r)),
               (SIGNED, SIGNED[::-1] * 0.7), kinds=("float32",), twice=False)
        for r in ("prod", "mean", "amax")
    ],
    Sample("unsafe_masked_index", lambda t, a: t._unsafe_masked_index(a, *inside(t), 0.5), (SIGNED,)),
    Sample("unsafe_masked_index_put_accumulate",
           lambda t, a, b: t._unsafe_masked_index_put_accumulate(a, *inside(t), b), (SIGNED, ROW)),
]  # fmt: skip

SAMPLES = [*COPIES, *PLACES]
