"""Packages that programs for PyTorch often import and Backscope does not have, with a replacement for each."""

from __future__ import annotations

_LACKED = {
    "torch.utils.tensorboard": "print() the numbers: the page shows them beside the step that made them",
    "tensorboard": "print() the numbers: the page shows them beside the step that made them",
    "tensorboardX": "print() the numbers: the page shows them beside the step that made them",
    "torchvision": (
        "tensors in the shape of images, as torch.rand(64, 1, 28, 28), with labels from torch.randint, in a "
        "torch.utils.data.TensorDataset; models of torch.nn layers"
    ),
    "torchaudio": "tensors in the shape of waves, as torch.sin(torch.linspace(0, 100, 16000)), and torch.fft",
    "torchtext": "lists of words, a dict from word to index, and torch.nn.Embedding",
    "torchdata": "torch.utils.data",
    "torchmetrics": "the formula in tensors, as (pred.argmax(1) == y).float().mean()",
    "torchinfo": "print(model) and sum(p.numel() for p in model.parameters())",
    "torchsummary": "print(model) and sum(p.numel() for p in model.parameters())",
    "torchviz": "the page itself, which draws the graph that backward() follows",
}


def absence(name: str) -> ModuleNotFoundError | None:
    """The error for importing a package that is listed here, None for any other."""
    listed = next((package for package in (name, name.partition(".")[0]) if package in _LACKED), None)
    if listed is None:
        return None
    return ModuleNotFoundError(
        f"No module named '{listed}': Backscope does not have it. What comes nearest: {_LACKED[listed]}.", name=listed
    )
