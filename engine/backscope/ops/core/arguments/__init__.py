"""Arguments of op calls: signatures, types, dims, numbers and `out=`, with PyTorch's errors."""
