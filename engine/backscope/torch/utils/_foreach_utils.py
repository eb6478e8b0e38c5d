"""The names of `torch.utils._foreach_utils`."""

from backscope.ops.names.foreach import group_by_dtype as _group_tensors_by_device_and_dtype

__all__ = ["_group_tensors_by_device_and_dtype"]
