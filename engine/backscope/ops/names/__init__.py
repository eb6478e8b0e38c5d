"""By which further names ops are found: operators, torch.ops.aten, torch._foreach, in-place methods."""
