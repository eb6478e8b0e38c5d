"""An optimizer's state as a plain dict: parameters are numbers there, in the order of the groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from backscope.runtime.given import Value
from backscope.tensor.dtype import float32
from backscope.tensor.tensor import Tensor


def pack(state: dict[Any, Any], groups: list[dict[str, Any]]) -> dict[str, Any]:
    """State and groups with each parameter replaced by its number."""
    numbers: dict[int, int] = {}
    packed_groups = []
    start = 0
    for group in groups:
        for i, p in enumerate(group["params"], start):
            numbers.setdefault(id(p), i)
        packed = {k: v for k, v in group.items() if k != "params"}
        packed["params"] = [numbers[id(p)] for p in group["params"]]
        packed_groups.append(packed)
        start += len(group["params"])
    packed_state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in state.items()}
    return {"state": packed_state, "param_groups": packed_groups}


def load(state_dict: dict[str, Any], groups: list[dict[str, Any]]) -> tuple[Any, list[dict[str, Any]]]:
    """Return state and groups for the parameters of `groups` from a dict of `pack`; ValueError for other groups."""
    saved = deepcopy(state_dict["param_groups"])
    if len(groups) != len(saved):
        raise ValueError("loaded state dict has a different number of parameter groups")
    if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved, strict=True)):
        raise ValueError(
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
        )
    numbers = chain.from_iterable(s["params"] for s in saved)
    of_number = dict(zip(numbers, chain.from_iterable(g["params"] for g in groups), strict=True))
    state: defaultdict[Any, Any] = defaultdict(dict)
    for number, values in state_dict["state"].items():
        if number in of_number:
            options = _options_of(number, state_dict["param_groups"])
            state[of_number[number]] = _fitted(of_number[number], values, None, options)
        else:
            state[number] = values
    for group, new in zip(groups, saved, strict=True):
        new["params"] = group["params"]
        if "param_names" in group and "param_names" not in new:
            new["param_names"] = group["param_names"]
    return state, saved


def _options_of(number: Value, groups: list[dict[str, Any]]) -> dict[str, Any]:
    return next((g for g in groups if number in g["params"]), {})


def _fitted(parameter: Tensor, value: Value, key: Any, options: dict[str, Any]) -> Any:
    """Convert a value of the state to the parameter's dtype; the count of steps keeps its own."""
    if isinstance(value, Tensor):
        if key == "step":
            return value.to(float32) if options.get("capturable") or options.get("fused") else value  # type: ignore[attr-defined]
        return value.to(parameter.dtype) if parameter.dtype.is_floating_point else value  # type: ignore[attr-defined]
    if isinstance(value, dict):
        return {k: _fitted(parameter, v, k, options) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return type(value)(_fitted(parameter, v, None, options) for v in value)  # type: ignore[call-arg]
    return value
