"""Functions that would load something from the network; they raise errors."""

from __future__ import annotations

from typing import Any


def no_network(*args: Any, **kwargs: Any) -> Any:
    """The error for downloads."""
    raise RuntimeError(
        "Backscope runs programs without a network: models and data sets cannot be downloaded. "
        "What comes nearest: a small model built in the program, and tensors from torch.randn or torch.tensor."
    )


def no_export(*args: Any, **kwargs: Any) -> Any:
    """The error for exporting to other formats."""
    raise RuntimeError(
        "Backscope does not export models to ONNX. What comes nearest: torch.save(model.state_dict(), ...)."
    )
