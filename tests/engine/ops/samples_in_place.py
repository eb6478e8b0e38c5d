"""Samples of ops that change a tensor's own shape, and of splits that make no views."""

from __future__ import annotations

from typing import Any

from backscope_op_samples import SIGNED, SMALL, Sample, in_place, values

SAMPLES: list[Any] = [
    Sample("t_", in_place(lambda t, x: x.t_()), (SIGNED,)),
    Sample("transpose_", in_place(lambda t, x: x.transpose_(0, -1)), (SIGNED,)),
    Sample("squeeze_", in_place(lambda t, x: x.squeeze_()), (values(1, 3, 1),)),
    Sample("squeeze_dim_", in_place(lambda t, x: x.squeeze_(0)), (values(1, 3, 1),)),
    Sample("squeeze_dims_", in_place(lambda t, x: x.squeeze_((0, -1))), (values(1, 3, 1),)),
    Sample("unsqueeze_", in_place(lambda t, x: x.unsqueeze_(1)), (SIGNED,)),
    Sample("as_strided_", in_place(lambda t, x: x.as_strided_((2, 2), (1, 2), 1)), (SIGNED,)),
    Sample("unsafe_split", lambda t, a: t.unsafe_split(a, 2, 1)[0], (SMALL,)),
    Sample("unsafe_split_with_sizes", lambda t, a: t.unsafe_split_with_sizes(a, [1, 2], -1)[1], (SMALL,)),
]
