"""The names of `torch.utils.data.dataloader`."""

from backscope.data.collate import default_collate, default_convert
from backscope.data.loader import DataLoader, get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]
