"""The names of `torch.autograd._functions`: none, as its only one, Resize, is not needed for Tensor.resize."""

__all__: list[str] = []
