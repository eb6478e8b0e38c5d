"""DataLoader: batches of a dataset.

Workers are no processes here, but each has random numbers and iterators of its own, as a worker process has, and they
produce batches in turn: a program gets the batches that it gets with PyTorch.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Callable, Iterator
from math import ceil
from typing import Any, Generic, TypeVar

import numpy as np

from backscope.data.collate import default_collate, default_convert
from backscope.data.dataset import IterableDataset
from backscope.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, draw_seed
from backscope.random import Generator, default_generator
from backscope.runtime.given import Option, Value, Values
from backscope.runtime.warning import warn

T = TypeVar("T", covariant=True)
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _Endless(Sampler[None]):
    """Yields empty indices without end, for an iterable dataset, which has no indices."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[T]):
    """Iterates over batches of a dataset; ValueError for options that exclude each other."""

    # Any: a dataset is anything with __getitem__() and __len__(), or an iterable.
    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Values = None,
        batch_sampler: Values = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: object = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if multiprocessing_context is not None and num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={num_workers}"
            )
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._iterable = isinstance(dataset, IterableDataset)
        self._check_sampling(shuffle, sampler, batch_sampler, batch_size, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            if self._iterable:
                sampler = _Endless()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.persistent_workers = persistent_workers
        self._reported_length: int | None = None
        self._iterator: Any = None
        self._ready = True

    def _check_sampling(
        self, shuffle: Option, sampler: Any, batch_sampler: Any, batch_size: int | None, drop_last: bool
    ) -> None:
        if self._iterable:
            start = "DataLoader with IterableDataset: expected unspecified"
            if shuffle not in (False, None):
                raise ValueError(f"{start} shuffle option, but got shuffle={shuffle}")
            if sampler is not None:
                raise ValueError(f"{start} sampler option, but got sampler={sampler}")
            if batch_sampler is not None:
                raise ValueError(f"{start} batch_sampler option, but got batch_sampler={batch_sampler}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")

    def __setattr__(self, attr: str, val: Value) -> None:
        if attr in FIXED and self.__dict__.get("_ready"):
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        if not self.num_workers:
            return _InProcess(self)
        if not self.persistent_workers:
            return _InTurns(self)
        if self._iterator is None:
            self._iterator = _InTurns(self)
        else:
            self._iterator.start(self)
        iterator: Iterator[Any] = self._iterator
        return iterator

    def __len__(self) -> int:
        if not self._iterable:
            return len(self._index_sampler)
        length = self._reported_length = len(self.dataset)
        if self.batch_size is not None:
            length = length // self.batch_size if self.drop_last else ceil(length / self.batch_size)
        return length


class _Fetcher:
    """Reads the samples of one batch; StopIteration where an iterable dataset has no more."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self.loader = loader
        self.samples = iter(loader.dataset) if loader._iterable else None
        self.ended = False

    def fetch(self, index: Value) -> Any:
        loader = self.loader
        if self.samples is not None:
            return loader.collate_fn(self._next_samples(index))
        if loader.batch_sampler is None:
            return loader.collate_fn(loader.dataset[index])
        together = getattr(loader.dataset, "__getitems__", None)
        return loader.collate_fn(together(index) if together else [loader.dataset[i] for i in index])

    def _next_samples(self, index: Value) -> Any:
        assert self.samples is not None
        if self.ended:
            raise StopIteration
        if self.loader.batch_sampler is None:
            return next(self.samples)
        found = list(itertools.islice(self.samples, len(index)))
        self.ended = len(found) < len(index)
        if not found or (self.loader.drop_last and self.ended):
            raise StopIteration
        return found


class _Iterator:
    """One pass over a loader."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self.loader = loader
        if loader.pin_memory:
            warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used."
            )
        self.indices = iter(loader._index_sampler)
        self.base_seed = draw_seed(loader.generator)
        self.yielded = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self.loader._index_sampler)

    def __next__(self) -> Any:
        batch = self.next_batch()
        self.yielded += 1
        reported = self.loader._reported_length
        if self.loader._iterable and reported is not None and self.yielded > reported:
            warn(self._too_long(reported))
        return batch

    def _too_long(self, reported: int) -> str:
        text = (
            f"Length of IterableDataset {self.loader.dataset} was reported to be {reported}(when accessing "
            f"len(dataloader)), but {self.yielded} samples have been fetched. "
        )
        if self.loader.num_workers:
            text += (
                "For multiprocessing data-loading, this could be caused by not properly configuring the "
                "IterableDataset replica at each worker. Please see "
                "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
            )
        return text

    def next_batch(self) -> Any:
        raise NotImplementedError


class _InProcess(_Iterator):
    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self.fetcher = _Fetcher(loader)

    def next_batch(self) -> Any:
        return self.fetcher.fetch(next(self.indices))


class WorkerInfo:
    """The result of get_worker_info() inside a worker: id, num_workers, seed, dataset."""

    def __init__(self, id: int, num_workers: int, seed: int, dataset: object) -> None:  # noqa: A002
        self.id = id
        self.num_workers = num_workers
        self.seed = seed
        self.dataset = dataset

    def __repr__(self) -> str:
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset!r})"


_current: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return the worker that is reading samples; None in the program itself."""
    return _current


class _Worker:
    """Random numbers and samples of one worker; inside `with` they are in force."""

    def __init__(self, loader: DataLoader[Any], number: int, base_seed: int) -> None:
        seed = base_seed + number
        self.info = WorkerInfo(number, loader.num_workers, seed, loader.dataset)
        self.states: Any = None
        self.ended = False
        with self:
            default_generator.manual_seed(seed)
            random.seed(seed)
            np.random.seed(seed % 2**32)
            if loader.worker_init_fn is not None:
                loader.worker_init_fn(number)
            self.fetcher = _Fetcher(loader)

    def __enter__(self) -> None:
        global _current
        self.outside = _random_states()
        self.before = _current
        _current = self.info
        if self.states is not None:
            _restore(self.states)

    def __exit__(self, *exc: object) -> None:
        global _current
        self.states = _random_states()
        _restore(self.outside)
        _current = self.before


def _random_states() -> Any:
    return default_generator.get_state(), random.getstate(), np.random.get_state()


def _restore(states: Any) -> None:
    default_generator.set_state(states[0])
    random.setstate(states[1])
    np.random.set_state(states[2])


class _InTurns(_Iterator):
    """An iterator over the workers' batches in turn; indices are drawn ahead of time as for worker processes."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self.workers = [_Worker(loader, i, self.base_seed) for i in range(loader.num_workers)]
        self._begin()

    def start(self, loader: DataLoader[Any]) -> None:
        """Begin a further pass with the same workers."""
        self.indices = iter(loader._index_sampler)
        self.yielded = 0
        for worker in self.workers:
            worker.ended = False
            with worker:
                worker.fetcher = _Fetcher(loader)
        self._begin()

    def _begin(self) -> None:
        self.turns = itertools.cycle(self.workers)
        self.waiting: deque[tuple[_Worker, Any]] = deque()
        for _ in range((self.loader.prefetch_factor or 0) * len(self.workers)):
            self._put()

    def _put(self) -> None:
        index = next(self.indices, self)
        if index is self:
            return
        for _ in self.workers:
            worker = next(self.turns)
            if not worker.ended:
                self.waiting.append((worker, index))
                return

    def next_batch(self) -> Any:
        while self.waiting:
            worker, index = self.waiting.popleft()
            if worker.ended:
                continue
            try:
                with worker:
                    batch = worker.fetcher.fetch(index)
            except StopIteration:
                worker.ended = True
                self._put()
                continue
            self._put()
            return batch
        raise StopIteration


DataLoader.__module__ = "torch.utils.data.dataloader"
