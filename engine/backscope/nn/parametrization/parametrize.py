"""Parametrizations: a tensor of a module computed from others whenever it is read."""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from backscope.autograd.modes.grad_mode import no_grad
from backscope.nn.module.containers import ModuleDict, ModuleList
from backscope.runtime.given import Dtype, Shape, Value
from backscope.runtime.process import process_wide
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import belongs

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


class _Cache:
    """The values of parametrized tensors while caching is on."""

    def __init__(self) -> None:
        self.depth = 0
        self.values: dict[tuple[int, str], Any] = {}


_cache = process_wide(_Cache())


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once for as long as the context lasts."""
    _cache.depth += 1
    try:
        yield
    finally:
        _cache.depth -= 1
        if not _cache.depth:
            _cache.values = {}


def _own(module: Any, name: str, tensor: Value) -> None:
    """Register a tensor as the parameter or the buffer that it is."""
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(held: Any, given: Value) -> None:
    held.set_(given)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, applied one after the other to `original`, or the first to several."""

    original: Value

    def __init__(self, modules: Sequence[Any], original: Value, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, kind = original.shape, original.dtype
        with no_grad():
            new: Any = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        found: Any = new
        self.is_tensor = isinstance(found, Tensor)
        if not self.is_tensor and not isinstance(found, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.ntensors = 1 if self.is_tensor else len(found)
        if self.is_tensor:
            if original.dtype != found.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {found.dtype}"
                )
            with no_grad():
                _set(original, found)
            _own(self, "original", original)
        else:
            for i, tensor in enumerate(found):
                self._own_one(i, tensor, original)
        if not unsafe:
            _check_result(self(), shape, kind, "unless `unsafe` flag is enabled.", "unparametrized", "parametrized")

    def _own_one(self, i: int, tensor: Value, original: Any) -> None:
        if not isinstance(tensor, Tensor):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got element {i} of the sequence with type {type(tensor).__name__}."
            )
        if isinstance(original, Parameter):
            tensor = Parameter(tensor, original.requires_grad)
        tensor.requires_grad_(original.requires_grad)
        _own(self, f"original{i}", tensor)

    def right_inverse(self, value: Value) -> None:
        """Set the originals so that the parametrized tensor becomes `value`."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                self._set_one(value)
            else:
                self._set_several(value)

    def _set_one(self, value: Value) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                f"{self.original.dtype}"
            )
        _set(self.original, value)

    def _set_several(self, value: Value) -> None:
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                f"length {len(value)}."
            )
        for i, tensor in enumerate(value):
            held = getattr(self, f"original{i}")
            if not isinstance(tensor, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. Got element "
                    f"{i} of type {type(tensor).__name__}."
                )
            if held.dtype != tensor.dtype:
                raise ValueError(
                    f"Tensor {i} returned by `right_inverse` has dtype {tensor.dtype} while `original{i}` has dtype "
                    f"{held.dtype}"
                )
            _set(held, tensor)

    def forward(self) -> Value:
        """The parametrized tensor."""
        if self.is_tensor:
            value = self[0](self.original)
        else:
            value = self[0](*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        for module in list(self)[1:]:
            value = module(value)
        return value


def _check_result(result: Value, shape: Shape, kind: Dtype, unless: str, before: str, after: str) -> None:
    """Raise ValueError where a parametrization gives no tensor, or one of another dtype or shape."""
    if not isinstance(result, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
    for what, was, now in (("dtype", kind, result.dtype), ("shape", shape, result.shape)):
        if was != now:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, {unless}\n"
                f"{before} {what}: {was}\n{after} {what}: {now}"
            )


def _become_parametrized(module: Any) -> None:
    """Give a module a class of its own, which has the properties that compute its tensors."""
    own = module.__class__

    def copied(self: Value, memo: dict[int, Any]) -> Any:
        known = memo.get(id(self))
        if known is not None:
            return known
        replica = self.__new__(self.__class__)
        memo[id(self)] = replica
        replica.__dict__ = deepcopy(self.__dict__, memo)
        for slot in copyreg._slotnames(self.__class__):  # type: ignore[attr-defined]
            if hasattr(self, slot):
                setattr(replica, slot, deepcopy(getattr(self, slot), memo))
        return replica

    def state(self: Value) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    names: dict[str, Any] = {"__getstate__": state, "__module__": "torch.nn.utils.parametrize"}
    if not hasattr(own, "__deepcopy__"):
        names["__deepcopy__"] = copied
    module.__class__ = type(f"Parametrized{own.__name__}", (own,), names)


def _compute(module: Any, name: str) -> None:
    """Replace a tensor of a module by a property: computed when read, and setting its originals when assigned."""

    def read(self: Value) -> Any:
        parametrization = self.parametrizations[name]
        if not _cache.depth:
            return parametrization()
        key = (id(module), name)
        if _cache.values.get(key) is None:
            _cache.values[key] = parametrization()
        return _cache.values[key]

    def write(self: Value, value: Value) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(module.__class__, name, property(read, write))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a parameter or buffer of a module by `parametrization` from now on; returns the module.

    Raises ValueError for a name that is none, and unless `unsafe` for a change of shape or dtype.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_further(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _become_parametrized(module)
            module.parametrizations = ModuleDict()
        _compute(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_further(module: Any, name: str, parametrization: Any) -> None:
    """Check a parametrization after others; ValueError where it changes shape or dtype."""
    current = getattr(module, name)
    found = parametrization(current)
    unless = "unless the `unsafe` flag is enabled."
    before, after = f"module.{name}", f"parametrization(module.{name})"
    if not isinstance(found, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(found, what) != getattr(current, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, {unless}\n"
                f"{before}.{what}: {getattr(current, what)}\n{after}.{what}: {getattr(found, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        inverse = parametrization.right_inverse(found)
    except NotImplementedError:
        return
    if not isinstance(inverse, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
    for what in ("dtype", "shape"):
        if getattr(inverse, what) != getattr(current, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as {before}, "
                f"{unless}\n{before}.{what}: {getattr(current, what)}\nreturned {what}: {getattr(inverse, what)}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """True where a module has parametrizations, or has one of this tensor."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a tensor a parameter or buffer again, with its parametrized value or the original one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    _own(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = module.__class__.__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that a module was of before it was parametrized."""
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Copy the parametrizations of a module to another, with the tensors that they are computed from."""
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        given = from_module.parametrizations[name]
        for parametrization in given:
            register_parametrization(to_module, name, parametrization)
        taken = to_module.parametrizations[name]
        if hasattr(given, "original"):
            taken.original = given.original
        else:
            for i in range(given.ntensors):
                setattr(taken, f"original{i}", getattr(given, f"original{i}"))
    return to_module


belongs("torch.nn.utils.parametrize", ParametrizationList)
