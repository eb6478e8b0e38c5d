"""The names of `torch.testing`."""

from backscope.comparison_report import assert_allclose, assert_close, make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
