"""What calls of ops are given: signatures, types, dims, numbers and `out=`, with PyTorch's errors."""
