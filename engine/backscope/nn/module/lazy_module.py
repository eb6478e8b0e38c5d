"""LazyModuleMixin: modules that take the shapes of their parameters from their first input."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from backscope.autograd.modes.grad_mode import no_grad
from backscope.nn.module.uninitialized_parameter import is_lazy
from backscope.runtime.given import Option, Value
from backscope.tensor.typename import belongs

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


class LazyModuleMixin:
    """A module with uninitialized parameters; on its first call it becomes an instance of another class."""

    cls_to_become: type[Module] | None = None

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Option, **kwargs: Option) -> None:
        super().__init__(*args, **kwargs)
        own: Any = self
        own._load_hook = own._register_load_state_dict_pre_hook(own._lazy_load_hook)
        own._initialize_hook = own.register_forward_pre_hook(own._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        for name, value in chain(self._parameters.items(), persistent.items()):
            if value is not None:
                destination[prefix + name] = value if is_lazy(value) or keep_vars else value.detach()

    def _lazy_load_hook(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Give parameters without a shape that of what is about to be loaded."""
        for name, value in chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(value) and given is not None and not is_lazy(given):
                with no_grad():
                    value.materialize(given.shape)

    def initialize_parameters(self, *args: Value, **kwargs: Value) -> None:
        """Give all parameters their shapes by the first input; what a subclass is about."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {self.__class__.__name__}")

    def has_uninitialized_params(self) -> bool:
        """True until all parameters and buffers have a shape."""
        return any(is_lazy(value) for value in chain(self._parameters.values(), self._buffers.values()))

    def _infer_parameters(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook
        del module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


belongs("torch.nn.modules.lazy", LazyModuleMixin)
