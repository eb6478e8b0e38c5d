"""The names of `torch.cuda.amp.grad_scaler`."""

from backscope.optim.grad_scaler import CudaGradScaler as GradScaler

__all__ = [
    "GradScaler",
]
