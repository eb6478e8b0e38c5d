"""torch.utils.data: the same shuffles and batches as PyTorch after manual_seed, with and without workers."""

from __future__ import annotations

import importlib
from collections import namedtuple
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def data(torch: Any) -> Any:
    """torch.utils.data of the namespace under test."""
    return importlib.import_module(torch.__name__ + ".utils.data")


def test_shuffled_batches(torch: Any, data: Any) -> None:
    """The order comes from the default generator, or from the one given; both go on afterwards as PyTorch's."""
    torch.manual_seed(0)
    dataset = data.TensorDataset(torch.arange(6))
    seen = [b.tolist() for (b,) in data.DataLoader(dataset, batch_size=4, shuffle=True)]
    assert seen == [[0, 4, 3, 5], [2, 1]]
    assert torch.rand(1).item() == pytest.approx(0.30742281675338745, abs=1e-7)


def test_generator(torch: Any, data: Any) -> None:
    """A generator of the user's decides alone."""
    orders = []
    for _ in range(2):
        loader = data.DataLoader(range(7), batch_size=7, shuffle=True, generator=torch.Generator().manual_seed(3))
        orders.append(next(iter(loader)).tolist())
    assert orders[0] == orders[1] == [3, 4, 2, 0, 1, 6, 5]


def test_random_split(torch: Any, data: Any) -> None:
    """Lengths or fractions; the parts are PyTorch's after the same seed."""
    torch.manual_seed(0)
    assert [list(part) for part in data.random_split(range(10), [7, 3])] == [[4, 1, 7, 5, 3, 9, 0], [8, 6, 2]]
    parts = data.random_split(range(10), [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(4))
    assert [list(part) for part in parts] == [[0, 4, 9, 6, 7], [3, 2, 8], [1, 5]]
    with pytest.raises(ValueError, match="Sum of input lengths does not equal the length of the input dataset!"):
        data.random_split(range(10), [3, 3])


def test_collate(torch: Any, data: Any) -> None:
    """Numbers become tensors, containers are batched element by element, texts stay lists."""
    pair = namedtuple("pair", "a b")
    samples = [{"x": torch.ones(2) * i, "n": i, "f": float(i), "s": str(i), "p": pair(i, (i,))} for i in range(2)]
    batch = data.default_collate(samples)
    assert batch["x"].tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert (batch["n"].dtype, batch["f"].dtype) == (torch.int64, torch.float64)
    assert batch["s"] == ["0", "1"]
    assert isinstance(batch["p"], pair)
    assert batch["p"].b[0].tolist() == [0, 1]
    assert data.default_collate([np.float32(1), np.float32(2)]).dtype is torch.float32


@pytest.mark.parametrize(
    ("samples", "error", "text"),
    [
        ([None, None], TypeError, "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists"),
        ([[1, 2], [1]], RuntimeError, "each element in list of batch should be of equal size"),
    ],
)
def test_what_cannot_be_collated(data: Any, samples: Any, error: type[Exception], text: str) -> None:
    """PyTorch's errors."""
    with pytest.raises(error, match=text):
        list(data.DataLoader(samples, batch_size=2))


def test_iterable_dataset(data: Any) -> None:
    """Batches of what comes one after another; the last one may be left out."""

    class Numbers(data.IterableDataset):  # type: ignore[misc, name-defined]
        def __iter__(self) -> Any:
            return iter(range(5))

    assert [b.tolist() for b in data.DataLoader(Numbers(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [b.tolist() for b in data.DataLoader(Numbers(), batch_size=2, drop_last=True)] == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="expected unspecified shuffle option"):
        data.DataLoader(Numbers(), shuffle=True)


def test_workers_take_turns(ours: Any) -> None:
    """Each worker has random numbers and an iterator of its own, and knows who it is."""
    data = importlib.import_module(ours.__name__ + ".utils.data")

    class Numbers(data.IterableDataset):  # type: ignore[misc, name-defined]
        def __iter__(self) -> Any:
            worker = data.get_worker_info()
            return iter(range(worker.id, 7, worker.num_workers))

    found = [b.tolist() for b in data.DataLoader(Numbers(), batch_size=2, num_workers=2)]
    assert found == [[0, 2], [1, 3], [4, 6], [5]]

    class Noise(data.Dataset):  # type: ignore[misc, name-defined]
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> Any:
            return ours.rand(1)

    ours.manual_seed(0)
    first = list(data.DataLoader(Noise(), num_workers=2))
    after = ours.rand(1)
    ours.manual_seed(0)
    list(data.DataLoader(range(4), num_workers=2))
    assert ours.rand(1) == after, "samples drawn in a worker take nothing from the program's generator"
    assert len({float(x) for x in first}) == 4


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"shuffle": True, "sampler": [1]}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[1]], "batch_size": 3}, "batch_sampler option is mutually exclusive with batch_size"),
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching"),
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing"),
    ],
)
def test_options_that_exclude_each_other(data: Any, options: dict[str, Any], text: str) -> None:
    """PyTorch's texts."""
    with pytest.raises(ValueError, match=text):
        data.DataLoader(range(3), **options)


def test_attributes_are_fixed(data: Any) -> None:
    """What decides the batches can't be changed later."""
    loader = data.DataLoader(range(3))
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is initialized"):
        loader.batch_size = 2


def test_samplers(torch: Any, data: Any) -> None:
    """With replacement, by weight, of a subset, and in batches."""
    torch.manual_seed(0)
    assert list(data.RandomSampler(range(5), num_samples=7)) == [1, 3, 4, 2, 0, 4, 0]
    assert list(data.RandomSampler(range(5), replacement=True, num_samples=6)) == [1, 3, 2, 0, 2, 1]
    assert list(data.SubsetRandomSampler([3, 5, 7])) == [5, 7, 3]
    assert list(data.WeightedRandomSampler([0.1, 0.9, 0.5], 5)) == [2, 1, 2, 1, 1]
    assert list(data.BatchSampler(range(5), 2, drop_last=True)) == [[0, 1], [2, 3]]


def test_datasets_together(torch: Any, data: Any) -> None:
    """One after another, side by side, and parts of one."""
    both = data.TensorDataset(torch.ones(2)) + data.TensorDataset(torch.zeros(1))
    assert (len(both), both[-1][0].item()) == (3, 0.0)
    assert data.StackDataset(a=range(3), b=range(3, 6))[1] == {"a": 1, "b": 4}
    assert data.Subset(range(10), [1, 3])[1] == 3
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        data.TensorDataset(torch.ones(2), torch.ones(3))
