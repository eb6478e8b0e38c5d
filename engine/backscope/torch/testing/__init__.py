"""The names of `torch.testing`."""

from backscope.tensor.assert_close import assert_allclose, assert_close, make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
