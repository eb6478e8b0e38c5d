"""What backscope.pytorch.record() costs: the processor time of a training step with and without it, in one run.

Prints a table: per program the time of a plain step, the ratio in each detail, and the bytes of its events.
Run with PyTorch installed: `python tests/benchmarks/pytorch_recording.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

import backscope.pytorch

STEPS = 5
"""Steps of which the shortest counts."""


class Transformer(nn.Module):
    """An embedding, two blocks and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(65, 64)
        block = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, 2, enable_nested_tensor=False)
        self.head = nn.Linear(64, 65)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.token(x)))


def perceptron(width: int, batch: int) -> Callable[[], torch.Tensor]:
    model = nn.Sequential(*[layer for _ in range(4) for layer in (nn.Linear(width, width), nn.ReLU())])
    return step_of(model, torch.randn(batch, width), lambda out: out.square().mean())


def transformer() -> Callable[[], torch.Tensor]:
    x = torch.randint(0, 65, (8, 32))
    return step_of(Transformer(), x, lambda out: nn.functional.cross_entropy(out.flatten(0, 1), x.flatten()))


def convolution() -> Callable[[], torch.Tensor]:
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip
    target = torch.randint(0, 10, (8,))
    return step_of(model, torch.randn(8, 3, 32, 32), lambda out: nn.functional.cross_entropy(out, target))


def step_of(
    model: nn.Module, x: torch.Tensor, loss_of: Callable[[torch.Tensor], torch.Tensor]
) -> Callable[[], torch.Tensor]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_of(model(x))
        loss.backward()
        optimizer.step()
        return loss

    return step


PROGRAMS: dict[str, Callable[[], Callable[[], torch.Tensor]]] = {
    "MLP, 256 wide": lambda: perceptron(256, 64),
    "two transformer blocks": transformer,
    "conv net": convolution,
    "MLP, 1,536 wide": lambda: perceptron(1536, 256),
}


def shortest(run: Callable[[], object]) -> float:
    """The processor time of the shortest of some runs."""
    times = []
    for _ in range(STEPS):
        begun = time.process_time()
        run()
        times.append(time.process_time() - begun)
    return min(times)


def recorded(step: Callable[[], object], detail: Any, kept: list[int]) -> None:
    """Record a step; keep the bytes of its events."""
    with backscope.pytorch.record(values=detail) as trace:
        step()
    kept.append(sum(map(len, trace.lines)))


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print("| program | plain step | all | norms | none | events of a step |\n|---|---|---|---|---|---|")
    for name, make in PROGRAMS.items():
        torch.manual_seed(0)
        step = make()
        step()
        plain = shortest(step)
        ratios = []
        size = 0
        for detail in ("all", "norms", "none"):
            torch.manual_seed(0)
            step = make()  # Each begins with the same weights: numbers change as it trains, and what they cost.
            step()
            kept: list[int] = []
            ratios.append(f"{shortest(partial(recorded, step, detail, kept)) / plain:.1f}x")
            size = size or kept[0]
        print(f"| {name} | {plain * 1000:.1f} ms | {' | '.join(ratios)} | {size / 1000:.0f} kB |")


if __name__ == "__main__":
    main()
