"""spectral_norm as a hook: before each call, a weight divided by its largest singular value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backscope.autograd.modes.grad_mode import no_grad
from backscope.nn.layers import convolution
from backscope.nn.module.uninitialized_parameter import UninitializedParameter
from backscope.ops.core.namespace import functional as F, torch_functions as torch
from backscope.runtime.given import Value, Values
from backscope.tensor.parameter import Parameter
from backscope.tensor.typename import belongs

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


def default_dim(module: Module) -> int:
    """Return the dim of a module's weight with the outputs."""
    transposed = (convolution.ConvTranspose1d, convolution.ConvTranspose2d, convolution.ConvTranspose3d)
    return 1 if isinstance(module, transposed) else 0


class SpectralNorm:
    """Computes a weight from `NAME_orig`, with its singular vectors from a power iteration."""

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Value) -> Value:
        """The weight as a matrix of one row for each output."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Value:
        """Return the weight for the current original one, with `do_power_iteration` after further power iterations."""
        weight, u, v = (getattr(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v = F["normalize"](torch["mv"](matrix.t(), u), dim=0, eps=self.eps, out=v)
                    u = F["normalize"](torch["mv"](matrix, v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(), v.clone()
        return weight / torch["dot"](u, torch["mv"](matrix, v))

    def remove(self, module: Module) -> None:
        """Put the weight of now back as a parameter."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Values) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Put a weight's original and its singular vectors in its place; RuntimeError where that was done before."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying spectral normalization"
            )
        with no_grad():
            height, width = made.reshape_weight_to_matrix(weight).size()
            u = F["normalize"](weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
            v = F["normalize"](weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(made))
        return made


class SpectralNormStateDictHook:
    """Marks in a state_dict's metadata that it has singular vectors."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any]) -> None:
        notes = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in notes:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        notes[key] = self.fn._version


class SpectralNormLoadStateDictPreHook:
    """Adds the missing keys of a state_dict saved without singular vectors to the error of a strict load."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        version = local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version", None)
        key = prefix + self.fn.name
        if version is not None or (all(key + s in state_dict for s in ("_orig", "_u", "_v")) and key not in state_dict):
            return
        if strict:
            missing_keys += [key + s for s in ("_orig", "", "_u") if key + s not in state_dict]


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a module's weight by its largest singular value before each call; the deprecated form, by a hook."""
    SpectralNorm.apply(module, name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Undo spectral_norm(); ValueError where there is none."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for hooks, kind in (
        (module._state_dict_hooks, SpectralNormStateDictHook),
        (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook),
    ):
        for number, hook in hooks.items():
            inner = getattr(hook, "hook", hook)
            if isinstance(inner, kind) and inner.fn.name == name:
                del hooks[number]
                break
    return module


belongs("torch.nn.utils.spectral_norm", SpectralNorm, SpectralNormStateDictHook, SpectralNormLoadStateDictPreHook)
