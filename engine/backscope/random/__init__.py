"""PyTorch's CPU random numbers: the same seed gives the same numbers as torch.Generator on the CPU."""

from backscope.random.generator import Generator, default_generator

__all__ = ["Generator", "default_generator"]
