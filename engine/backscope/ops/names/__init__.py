"""Further names of ops: operators, torch.ops.aten, torch._foreach, in-place methods."""
