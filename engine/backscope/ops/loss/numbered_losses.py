"""Losses as torch.NAME, which take the number of a reduction; without one nothing is reduced."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.namespace import functional, torch_functions

_REDUCTIONS = ("none", "mean", "sum")
_PARAMETERS = {
    "binary_cross_entropy_with_logits": "input target weight pos_weight reduction",
    "cosine_embedding_loss": "input1 input2 target margin reduction",
    "ctc_loss": "log_probs targets input_lengths target_lengths blank reduction zero_infinity",
    "hinge_embedding_loss": "input target margin reduction",
    "margin_ranking_loss": "input1 input2 target margin reduction",
    "poisson_nll_loss": "input target log_input full eps reduction",
    "triplet_margin_loss": "anchor positive negative margin p eps swap reduction",
}


def _numbered(name: str, parameters: list[str]) -> Any:
    def loss(*args: Any, reduction: int = 0, **kwargs: Any) -> Any:
        given = dict(zip(parameters, args, strict=False))
        number = given.pop("reduction", reduction)
        return functional[name](**given, **kwargs, reduction=_REDUCTIONS[number])

    loss.__name__ = loss.__qualname__ = name
    loss.__doc__ = f"torch.nn.functional.{name} with the number of a reduction."
    return loss


for _name, _parameters in _PARAMETERS.items():
    torch_functions[_name] = _numbered(_name, _parameters.split())
