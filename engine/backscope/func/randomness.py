"""Random numbers inside vmap: refused, the same for every example, or different ones."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from backscope.autograd.transforms.level import Level, levels, only_up_to
from backscope.autograd.transforms.transform_tensor import wrapped
from backscope.runtime.given import Value

LEGACY = "legacy"
"""The randomness of batches that torch.autograd itself runs: none is set, and no Function's vmap() is called."""

DRAWING = frozenset(
    {
        "uniform",
        "normal",
        "exponential",
        "geometric",
        "cauchy",
        "log_normal",
        "random",
        "random_to",
        "random_from",
        "bernoulli",
        "bernoulli_number",
        "bernoulli_tensor",
        "normal_around",
        "normal_spread",
        "normal_both",
        "multinomial",
        "poisson",
    }
)
"""The names of the ops that draw."""


def mapping_levels() -> list[Level]:
    """The open vmaps, outermost first; RuntimeError where one of them allows no random numbers."""
    found = [x for x in levels if x.kind == "vmap"]
    for level in found:
        if level.randomness == LEGACY:
            raise RuntimeError(
                "vmap: We do not yet support calling random operations inside of vmap. Please perform random "
                "operations outside of vmap as a workaround"
            )
        if level.randomness == "error":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )
    return found


def drawn(draw: Callable[[tuple[int, ...]], Any], shape: tuple[int, ...]) -> Value:
    """Return the tensor that `draw` makes for a shape; with different randomness each example of a vmap has its own."""
    different = [x for x in mapping_levels() if x.randomness == "different"]
    if not different:
        return draw(shape)
    with only_up_to(different[0], without=True):
        tensor = draw((*[x.size for x in different], *shape))
    for level in different:
        tensor = wrapped(tensor, level, 0)
    return tensor


def own_numbers_above(top: Level | None) -> Level | None:
    """Return the outermost vmap inside `top` with different random numbers for each example, or None."""
    last = 0 if top is None else top.serial
    return next((x for x in mapping_levels() if x.serial > last and x.randomness == "different"), None)


def check_unmapped() -> None:
    """Raise RuntimeError where numbers would be drawn into a tensor that a vmap doesn't map over."""
    if any(x.randomness == "different" for x in mapping_levels()):
        raise RuntimeError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
            "randomness. If this is necessary for your usage, please file an issue with functorch."
        )


def check_mapped(level: Level) -> None:
    """Raise RuntimeError where one number would be drawn for examples that each have a probability of their own."""
    mapping_levels()
    if level.randomness == "same":
        raise RuntimeError(
            "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with "
            "functorch"
        )


def lift_drawing(name: str, run: Callable[[Any], Any], input: Value) -> Value:  # noqa: A002
    """Draw random numbers that depend on a tensor inside transforms; None for an ordinary call."""
    from backscope.func.lifting import lift

    mapping_levels()
    return lift(SimpleNamespace(name=name, tracked=False, view=False, listed=False, positions=(0,)), (input,), run)
