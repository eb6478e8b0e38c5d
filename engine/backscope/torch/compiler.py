"""The names of `torch.compiler`."""

from backscope.compiler import compile, disable, is_compiling  # noqa: A004

__all__ = ["compile", "disable", "is_compiling"]
