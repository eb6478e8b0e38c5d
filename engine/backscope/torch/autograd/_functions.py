"""The page `torch.autograd._functions`, whose one name Backscope lacks: Resize goes through Tensor.resize."""

__all__: list[str] = []
