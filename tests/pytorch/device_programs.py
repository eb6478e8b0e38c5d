"""The programs that on_cuda.py runs on a device, with a recording and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

Program = Callable[[str], dict[str, Any]]
"""Takes a device, trains a little, and returns what is compared: tensors, models, optimizers, numbers."""
PROGRAMS: list[Program] = []


def program(function: Program) -> Program:
    PROGRAMS.append(function)
    return function


def train(model: nn.Module, optimizer: Any, loss_of: Callable[[], Any], steps: int = 2) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()


@program
def mlp(device: str) -> dict[str, Any]:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = torch.randn(64, 16, device=device), torch.randn(64, 4, device=device)
    train(model, optimizer, lambda: functional.mse_loss(model(x), y))
    return {"model": model, "optimizer": optimizer}


def transformer(device: str, **options: Any) -> dict[str, Any]:
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, **options)
    x = torch.randn(4, 10, 32, device=device)
    train(model, optimizer, lambda: model(x).square().mean())
    return {"model": model, "optimizer": optimizer}


@program
def transformer_foreach(device: str) -> dict[str, Any]:
    return transformer(device, foreach=True)


@program
def transformer_fused(device: str) -> dict[str, Any]:
    return transformer(device, fused=True)


@program
def convolutions(device: str) -> dict[str, Any]:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(128, 10),
    ).to(device)  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(8, 3, 8, 8, device=device), torch.randint(10, (8,), device=device)
    train(model, optimizer, lambda: functional.cross_entropy(model(x), y))
    return {"model": model, "optimizer": optimizer}


@program
def mixed_precision(device: str) -> dict[str, Any]:
    kind = torch.device(device).type
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(kind, enabled=kind == "cuda")
    x = torch.randn(32, 16, device=device)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast(kind, dtype=torch.float16 if kind == "cuda" else torch.bfloat16):
            loss = model(x).square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return {"model": model, "scale": scaler.get_scale()}


@program
def checkpoints(device: str) -> dict[str, Any]:
    return checkpointed(device, nn.Dropout(0.5))


def checkpointed(device: str, middle: nn.Module | None = None) -> dict[str, Any]:
    middle = middle or nn.Softplus()
    first, second = (nn.Sequential(nn.Linear(8, 8), middle, nn.Tanh()).to(device) for _ in range(2))
    x = torch.randn(4, 8, device=device, requires_grad=True)
    y = checkpoint(second, checkpoint(first, x, use_reentrant=False), use_reentrant=True)
    y.sum().backward()
    return {"first": first, "second": second, "x": x}


@program
def recurrent(device: str) -> dict[str, Any]:
    model = nn.LSTM(8, 16, 2, batch_first=True).to(device)
    x = torch.randn(4, 6, 8, device=device, requires_grad=True)
    out, _ = model(x)
    out.square().mean().backward()
    return {"model": model, "x": x}


@program
def attention(device: str) -> dict[str, Any]:
    q, k, v = (torch.randn(2, 4, 16, 8, device=device, requires_grad=True) for _ in range(3))
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        functional.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
    return {"q": q, "k": k, "v": v}


@program
def second_derivatives(device: str) -> dict[str, Any]:
    w = torch.randn(6, 6, device=device, requires_grad=True)
    x = torch.randn(6, device=device, requires_grad=True)
    (g,) = torch.autograd.grad((w @ x).tanh().pow(2).sum(), x, create_graph=True)
    g.pow(2).sum().backward()
    return {"w": w, "x": x, "g": g}


@program
def leaves_on_the_host(device: str) -> dict[str, Any]:
    """The nodes of the leaves run in the calling thread, the others in the device's."""
    w = torch.randn(8, 8, requires_grad=True)
    b = torch.randn(8, requires_grad=True)
    x = torch.randn(4, 8, device=device)
    for _ in range(3):
        ((x @ w.to(device)).relu() + b.to(device)).square().mean().backward()
    return {"w": w, "b": b}


@program
def hooks(device: str) -> dict[str, Any]:
    seen = []
    w = torch.randn(5, device=device, requires_grad=True)
    h = w * 2
    h.register_hook(lambda g: g * 3)
    h.retain_grad()
    w.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum()))
    h.sin().sum().backward()
    return {"w": w, "h": h, "seen": seen[0]}


class Doubling(torch.autograd.Function):
    """x * 2, by a formula of the program's own."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return gradient * 2 + x * 0


@program
def custom_function(device: str) -> dict[str, Any]:
    x = torch.randn(5, device=device, requires_grad=True)
    Doubling.apply(x).exp().sum().backward()
    return {"x": x}
