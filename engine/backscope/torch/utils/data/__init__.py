"""The names of `torch.utils.data`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.data.collate import default_collate, default_convert
from backscope.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from backscope.data.loader import DataLoader, get_worker_info
from backscope.data.sampler import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.utils.data import dataloader, dataset, distributed, sampler

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "dataloader",
    "dataset",
    "default_collate",
    "default_convert",
    "distributed",
    "get_worker_info",
    "random_split",
    "sampler",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.utils.data", name, globals())
