"""Modules as functions of their parameters: make_functional and related functions of functorch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from backscope.func.functional_call import swap
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Device, Value
from backscope.tensor.parameter import Parameter

Tensors = tuple[Any, ...]
Names = dict[str, list[str]]


def _taken(
    module: Module, members: Callable[..., Iterable[tuple[str, Any]]], make: Callable[[Any], Any]
) -> tuple[Tensors, tuple[str, ...], Names]:
    """Remove the tensors that `members` lists from a module, and return them, their names, and all names of each."""
    every = list(members(remove_duplicate=False))
    unique = list(members())
    first = {id(tensor): name for name, tensor in unique}
    names: Names = {name: [] for name, _ in unique}
    empty: dict[int, Any] = {}
    for name, tensor in every:
        names[first[id(tensor)]].append(name)
        if id(tensor) not in empty:
            empty[id(tensor)] = make(torch["empty_like"](tensor, device="meta"))
        swap(module, name, empty[id(tensor)])
    return tuple([tensor for _, tensor in unique]), tuple([name for name, _ in unique]), names


def extract_weights(mod: Module) -> tuple[Tensors, tuple[str, ...], Names]:
    """Remove the parameters from a module; return them, their names, and all names of each."""
    return _taken(mod, mod.named_parameters, Parameter)


def extract_buffers(mod: Module) -> tuple[Tensors, tuple[str, ...], Names]:
    """Remove the buffers from a module; see extract_weights."""
    return _taken(mod, mod.named_buffers, lambda tensor: tensor)


def load_weights(mod: Module, names: Sequence[str], params: Sequence[Any], as_params: bool = False) -> None:
    """Put tensors in the places of a module's parameters."""
    for name, tensor in zip(names, params, strict=True):
        swap(mod, name, Parameter(tensor) if as_params else tensor)


def load_buffers(mod: Module, names: Sequence[str], buffers: Sequence[Any], as_params: bool = False) -> None:
    """Put tensors in the places of a module's buffers."""
    for name, tensor in zip(names, buffers, strict=True):
        swap(mod, name, tensor)


def load_state(
    model: Module,
    weights: Sequence[Any],
    weight_names: Sequence[str],
    buffers: Sequence[Any] = (),
    buffer_names: Sequence[str] = (),
) -> Module:
    """Put parameters and buffers in their places in a module, which is returned."""
    if len(weight_names) != len(weights):
        raise AssertionError(f"len(weight_names)={len(weight_names)} != len(weights)={len(weights)}")
    load_weights(model, weight_names, weights)
    if len(buffers) > 0:
        if len(buffer_names) != len(buffers):
            raise AssertionError(f"len(buffer_names)={len(buffer_names)} != len(buffers)={len(buffers)}")
        load_buffers(model, buffer_names, buffers)
    return model


def _swapped(module: Module, names: Names, tensors: Iterable[Any]) -> list[Any]:
    """Put tensors in the places of all their names; what was in the first place of each."""
    before = []
    for own, tensor in zip(names.values(), tensors, strict=False):
        for position, name in enumerate(own):
            was = swap(module, name, tensor)
            if position == 0:
                before.append(was)
    return before


class FunctionalModule(Module):
    """A module without parameters; every call passes them."""

    def __init__(self, stateless_model: Module, param_names: tuple[str, ...], names_map: Names) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.names_map = names_map

    @staticmethod
    def _create_from(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, Tensors]:
        own = copy.deepcopy(model)
        params, names, names_map = extract_weights(own)
        if disable_autograd_tracking:
            for tensor in params:
                tensor.requires_grad_(False)
        return FunctionalModule(own, names, names_map), params

    # Any: the module's forward returns a value of any type.
    def forward(self, params: Iterable[Any], *args: Value, **kwargs: Value) -> Any:
        """Call the module with these parameters."""
        before = _swapped(self.stateless_model, self.names_map, params)
        try:
            return self.stateless_model(*args, **kwargs)
        finally:
            _swapped(self.stateless_model, self.names_map, before)


class FunctionalModuleWithBuffers(Module):
    """A module without parameters and buffers; every call passes them."""

    def __init__(
        self,
        stateless_model: Module,
        param_names: tuple[str, ...],
        buffer_names: tuple[str, ...],
        param_names_map: Names,
        buffer_names_map: Names,
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names
        self.all_names_map = {**param_names_map, **buffer_names_map}

    @staticmethod
    def _create_from(
        model: Module, disable_autograd_tracking: bool = False
    ) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
        own = copy.deepcopy(model)
        params, names, names_map = extract_weights(own)
        buffers, buffer_names, buffer_names_map = extract_buffers(own)
        if disable_autograd_tracking:
            for tensor in params:
                tensor.requires_grad_(False)
        functional = FunctionalModuleWithBuffers(own, names, buffer_names, names_map, buffer_names_map)
        return functional, params, buffers

    # Any: the module's forward returns a value of any type.
    def forward(self, params: Iterable[Any], buffers: Iterable[Any], *args: Value, **kwargs: Value) -> Any:
        """Call the module with these parameters and buffers."""
        before = _swapped(self.stateless_model, self.all_names_map, (*params, *buffers))
        try:
            return self.stateless_model(*args, **kwargs)
        finally:
            _swapped(self.stateless_model, self.all_names_map, before)


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, Tensors]:
    """A module as a function of its parameters, and a copy of these; RuntimeError for one with buffers."""
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """A module as a function of its parameters and buffers, and copies of these."""
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def transpose_stack(tuple_of_tuple_of_tensors: Sequence[Sequence[Any]]) -> Tensors:
    """The first tensors of all tuples stacked, the second ones, and so on."""
    return tuple([torch["stack"](list(column)).detach() for column in zip(*tuple_of_tuple_of_tensors, strict=True)])


def combine_state_for_ensemble(models: Sequence[Any]) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """A function of one of several models of a class, and the parameters and buffers of all of them, stacked.

    RuntimeError for no models, and for models of different classes or modes.
    """
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functions, params, buffers = zip(*[make_functional_with_buffers(m) for m in models], strict=True)
    return functions[0], transpose_stack(params), transpose_stack(buffers)


def make_functional_deprecated_v1(model: Module) -> tuple[Tensors, Callable[..., Any], tuple[str, ...]]:
    """Return the parameters of a module, a function of them and of the module's arguments, and their names."""
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional_deprecated_v1(model): `model` has buffers. Please use "
            "make_functional_with_buffers_deprecated_v1(model) instead."
        )
    weights, names, _ = extract_weights(model)

    def call(weights: Tensors, data: Tensors) -> Any:
        own = copy.deepcopy(model)
        load_weights(own, names, weights)
        return own(*data)

    return weights, call, names


def make_functional_with_buffers_deprecated_v1(
    model: Module,
) -> tuple[Tensors, Tensors, Callable[..., Any], tuple[str, ...], tuple[str, ...]]:
    """make_functional_deprecated_v1 for a module with buffers, which the function takes after the parameters."""
    weights, names, _ = extract_weights(model)
    buffers, buffer_names, _ = extract_buffers(model)

    def call(weights: Tensors, buffers: Tensors, data: Tensors) -> Any:
        own = copy.deepcopy(model)
        load_weights(own, names, weights)
        load_buffers(own, buffer_names, buffers)
        return own(*data)

    return weights, buffers, call, names, buffer_names


def _count(ensemble_shape: Sequence[int]) -> int | None:
    """Return the number of models in an ensemble; None for a single one."""
    if len(ensemble_shape) >= 2:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    if not len(ensemble_shape):
        return None
    if ensemble_shape[0] <= 0:
        raise ValueError(f"num_models {ensemble_shape[0]} should be > 0")
    return ensemble_shape[0]


def functional_init(
    model_class: Callable[..., Module], ensemble_shape: tuple[int, ...] = (), device: Device = "cpu"
) -> Callable[..., tuple[Tensors, Callable[..., Any], tuple[str, ...]]]:
    """Return a function that makes models of a class and returns their stacked parameters, a function, and names."""

    def init(*args: Any, **kwargs: Any) -> tuple[Tensors, Callable[..., Any], tuple[str, ...]]:
        count = _count(ensemble_shape)
        if count is None:
            return make_functional_deprecated_v1(model_class(*args, **kwargs).to(device))
        models = [model_class(*args, **kwargs).to(device) for _ in range(count)]
        _, call, names = make_functional_deprecated_v1(model_class(*args, **kwargs))
        return transpose_stack([make_functional_deprecated_v1(m)[0] for m in models]), call, names

    return init


def functional_init_with_buffers(
    model_class: Callable[..., Module], ensemble_shape: tuple[int, ...] = (), device: Device = "cpu"
) -> Callable[..., Any]:
    """functional_init for models with buffers."""

    def init(*args: Any, **kwargs: Any) -> Any:
        count = _count(ensemble_shape)
        if count is None:
            return make_functional_deprecated_v1(model_class(*args, **kwargs).to(device))
        models = [model_class(*args, **kwargs).to(device) for _ in range(count)]
        _, _, call, names, buffer_names = make_functional_with_buffers_deprecated_v1(model_class(*args, **kwargs))
        weights, buffers = zip(*[make_functional_with_buffers_deprecated_v1(m)[:2] for m in models], strict=True)
        return transpose_stack(weights), transpose_stack(buffers), call, names, buffer_names

    return init
