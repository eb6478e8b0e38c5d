"""The names of `torch.amp.grad_scaler`."""

from backscope.optim.grad_scaler import GradScaler, OptState

__all__ = [
    "GradScaler",
    "OptState",
]
