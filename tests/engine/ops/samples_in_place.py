"""Samples of ops that change a tensor's own shape, and of splits that make no views."""

from __future__ import annotations

from typing import Any

from backscope_op_samples import SIGNED, SMALL, Sample, in_place, integers, mask, values

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
    Sample(
        "masked_scatter",
        lambda t, a, b: a.masked_scatter(mask(t), b),
        (SIGNED, SMALL),
    ),
    Sample("put", lambda t, a, b: a.put(integers(t, 1, 4), b), (SIGNED, values(2))),
    Sample("put", lambda t, a, b: a.put(integers(t, 1, 1), b, accumulate=True), (SIGNED, values(2))),
    Sample("addmm", in_place(lambda t, x, a, b: x.addmm_(a, b, beta=2)), (SIGNED, SMALL, values(3, 3))),
    Sample("cumsum", in_place(lambda t, x: x.cumsum_(1)), (SIGNED,)),
    Sample("cumprod", in_place(lambda t, x: x.cumprod_(1)), (SIGNED,)),
    Sample("tril", in_place(lambda t, x: x.tril_()), (SIGNED,)),
    Sample("index_fill", in_place(lambda t, x: x.index_fill_(1, integers(t, 0), 2.0)), (SIGNED,)),
    Sample("index_copy", in_place(lambda t, x, a: x.index_copy_(1, integers(t, 0), a)), (SIGNED, values(2, 1))),
    *[
        Sample(f"{name}_tensor_", in_place(lambda t, x, y, name=name: getattr(x, name + "_")(y)), (SIGNED, SMALL))
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    ],
    *[
        Sample(f"{name}_number_", in_place(lambda t, x, name=name: getattr(x, name + "_")(0.5)), (SIGNED,))
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    ],
    Sample("reshape_alias", lambda t, a: a[:, :1].reshape(2), (SIGNED,)),
]
