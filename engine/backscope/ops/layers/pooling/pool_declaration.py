"""Declaring pooling ops: the shared parts of the nodes of max and average pools."""

from __future__ import annotations

from backscope.ops.core.declaration import op


def declare_largest(name: str, grad_fn: str, pool: type, backward: type) -> None:
    """A max pool that also gives the indices, and its gradient as an op; `grad_fn` is PyTorch's name for the pool."""
    backward.__doc__ = f"The gradient of {name} as an op of its own."
    op(
        name=name,
        grad_fn=f"{grad_fn}Backward0",
        outputs=2,
        differentiable=1,
        returns=("result0", "result1"),
        symbol="max pool",
        latex={"self": r"g\ \text{at the largest elements}"},
        summary={"self": "sends the incoming gradient to the largest element of each window, 0 elsewhere"},
    )(pool)
    op(
        name=name + "_backward",
        grad_fn=f"{grad_fn}BackwardBackward0",
        symbol="max pool′",
        latex={"grad_output": r"g[\text{indices}]", "self": "0"},
        summary={
            "grad_output": "reads the incoming gradient at the largest element of each window",
            "self": "sends 0: which element is the largest does not change nearby",
        },
    )(backward)


def declare_average(name: str, grad_fn: str, pool: type, backward: type) -> None:
    """An average pool, and its gradient as an op; `grad_fn` is PyTorch's name for the pool."""
    backward.__doc__ = f"The gradient of {name} as an op of its own."
    op(
        name=name,
        grad_fn=f"{grad_fn}Backward0",
        symbol="avg pool",
        latex={"self": r"\textstyle\sum g / n\ \text{over the windows}"},
        summary={"self": "shares the incoming gradient of each window out among its elements"},
    )(pool)
    op(
        name=name + "_backward",
        grad_fn=f"{grad_fn}BackwardBackward0",
        symbol="avg pool′",
        latex={"grad_output": r"\text{avg pool}(g)", "self": "0"},
        summary={
            "grad_output": "averages the incoming gradient over the windows",
            "self": "sends 0: only the shape of {self} counts",
        },
    )(backward)
