"""The names of `torch.nn._reduction`."""

from backscope.ops.loss.reducing_loss import (
    legacy_reduction_name as legacy_get_string,
    legacy_reduction_number as legacy_get_enum,
    reduction_number as get_enum,
)

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]
