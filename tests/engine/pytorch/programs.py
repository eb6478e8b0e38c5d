"""Programs on PyTorch that have to compute the same, bit by bit, whether they are recorded or not.

Each takes a context manager for what may be recorded, and returns the tensors to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

Block = Callable[[], AbstractContextManager[Any]]
PROGRAMS: dict[str, Callable[[Block], list[Any]]] = {}


def program(function: Callable[[Block], list[Any]]) -> Callable[[Block], list[Any]]:
    PROGRAMS[function.__name__] = function
    return function


def net() -> tuple[nn.Module, torch.Tensor]:
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Dropout(0.5), nn.Linear(6, 3)), torch.randn(5, 4)


def tensors_of(model: nn.Module) -> list[Any]:
    return [t for p in model.parameters() for t in (p, p.grad)] + list(model.buffers())


def training(block: Block, make: Callable[[Any], torch.optim.Optimizer]) -> list[Any]:
    model, x = net()
    optimizer = make(model.parameters())
    with block():
        for _ in range(3):
            optimizer.zero_grad()
            model(x).square().sum().backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    state = [v for p in model.parameters() for v in optimizer.state[p].values()]
    return tensors_of(model) + state


@program
def plain_optimizer(block: Block) -> list[Any]:
    return training(block, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, foreach=False))


@program
def foreach_optimizer(block: Block) -> list[Any]:
    return training(block, lambda p: torch.optim.AdamW(p, lr=0.1, foreach=True))


@program
def fused_optimizer(block: Block) -> list[Any]:
    return training(block, lambda p: torch.optim.Adam(p, lr=0.1, fused=True))


@program
def transformer(block: Block) -> list[Any]:
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    x = torch.randn(2, 5, 8)
    with block():
        nn.functional.cross_entropy(model(x).flatten(0, 1), torch.randint(0, 8, (10,))).backward()
    return tensors_of(model)


@program
def convolution(block: Block) -> list[Any]:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 4)
    )
    x = torch.randn(4, 3, 8, 8)
    with block():
        model(x).logsumexp(1).sum().backward()
    return tensors_of(model)


@program
def double_backward(block: Block) -> list[Any]:
    model, x = net()
    x.requires_grad_()
    with block():
        (g,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        g.square().sum().backward()
    return [*tensors_of(model), x.grad, g]


@program
def autocast(block: Block) -> list[Any]:
    model, x = net()
    scaler = torch.amp.GradScaler("cpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with block():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(x).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return tensors_of(model)


@program
def checkpoints(block: Block) -> list[Any]:
    model, x = net()
    x.requires_grad_()
    with block():
        for reentrant in (False, True):
            checkpoint(model, x, use_reentrant=reentrant).sum().backward()
    return [*tensors_of(model), x.grad]


@program
def hooks(block: Block) -> list[Any]:
    model, x = net()
    seen: list[torch.Tensor] = []
    handles = [
        model.register_full_backward_hook(lambda module, into, out: seen.append(out[0].sum())),
        model[0].register_forward_hook(lambda module, given, out: out * 2),  # type: ignore[index]
        model[3].register_full_backward_pre_hook(lambda module, out: (out[0] * 3,)),  # type: ignore[index]
    ]
    with block():
        y = model(x)
        y.register_hook(lambda g: g * 0.5)
        y.grad_fn.register_prehook(lambda g: (g[0] + 1,))  # type: ignore[union-attr]
        y.retain_grad()
        first = next(model.parameters())
        handles.append(first.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone())))  # type: ignore[union-attr]
        torch.autograd.graph.register_multi_grad_hook(tuple(model.parameters()), lambda gs: seen.append(gs[0].clone()))  # type: ignore[index]
        handles.append(first.register_hook(lambda g: -g))
        y.sum().backward()
        for handle in handles:
            handle.remove()
    return [*tensors_of(model), y.grad, *seen]


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, by: float) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.by = by
        return x * by

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            (y * y).sum().backward()
        return g * ctx.by + y.grad, None


@program
def custom_functions(block: Block) -> list[Any]:
    """Its backward() is re-entrant: it runs a pass of its own."""
    model, x = net()
    with block():
        Scaled.apply(model(x), 3.0).sum().backward()
    return tensors_of(model)


class Own(torch.Tensor):
    pass


@program
def subclass(block: Block) -> list[Any]:
    model, x = net()
    x = x.as_subclass(Own)
    with block():
        y = model(x)
        y.sum().backward()
    assert type(y) is Own
    return [*tensors_of(model), y]


@program
def attention(block: Block) -> list[Any]:
    q = torch.randn(2, 2, 5, 8, requires_grad=True)
    with block():
        y = nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True, dropout_p=0.1)
        y.sum().backward()
        z = nn.functional.scaled_dot_product_attention(q, q, q)
        z.sum().backward()
    return [q, q.grad, y, z]


@program
def recurrent(block: Block) -> list[Any]:
    model, x = nn.LSTM(4, 6, 2, dropout=0.2), torch.randn(3, 2, 4)
    with block():
        model(x)[0].sum().backward()
    return tensors_of(model)


@program
def transforms(block: Block) -> list[Any]:
    model, x = nn.Linear(4, 3), torch.randn(5, 4)
    parameters = dict(model.named_parameters())
    with block():
        grads = torch.func.grad(lambda p: torch.func.functional_call(model, p, (x,)).sum())(parameters)
        jacobian = torch.func.jacrev(torch.sin)(x)
        rows = torch.func.vmap(torch.dot)(x, x)
    return [*grads.values(), jacobian, rows]


@program
def in_place(block: Block) -> list[Any]:
    w, x = torch.randn(4, 4, requires_grad=True), torch.randn(4)
    with block():
        y = w * 2
        y[0] = x
        y[:, 1].mul_(3)
        z = y.view(-1)
        z.add_(1)
        z.sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
        x.resize_(6).fill_(2)
        buffer = torch.empty(3).fill_(1)
        out = torch.add(buffer, 1, out=torch.empty(3))
    return [w, w.grad, y, x, buffer, out]


@program
def accumulation(block: Block) -> list[Any]:
    model, x = net()
    grads = []
    with block():
        for _ in range(2):
            model(x).sum().backward()
            grads.append([id(p.grad) for p in model.parameters()])
        model.zero_grad(set_to_none=False)
        loss = model(x).sum()
        loss.backward(retain_graph=True)
        loss.backward(inputs=list(model.parameters())[:1])
    assert grads[0] == grads[1]
    return tensors_of(model)


@program
def packing(block: Block) -> list[Any]:
    model, x = net()
    with block():
        with torch.autograd.graph.save_on_cpu():
            first = model(x)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), torch.from_numpy):
            second = model(x)
        (first * second).sum().backward()
    return tensors_of(model)


@program
def data_parallel(block: Block) -> list[Any]:
    import torch.distributed as dist

    model, x = net()
    if not dist.is_initialized():
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    parallel = nn.parallel.DistributedDataParallel(model)
    with block():
        parallel(x).sum().backward()
    return tensors_of(model)


@program
def compiled(block: Block) -> list[Any]:
    model, x = net()
    function = torch.compile(model, backend="eager")
    with block():
        function(x).sum().backward()
    return tensors_of(model)


@program
def in_place_error(block: Block) -> list[Any]:
    w = torch.randn(3, requires_grad=True)
    errors = []
    for change in (lambda y: y.mul_(2), lambda y: torch._foreach_add_([y], 1), lambda y: y.detach().zero_()):
        with block(), suppress(ZeroDivisionError):
            y = w.exp()
            change(y)
            try:
                y.sum().backward()
            except RuntimeError as error:
                errors.append(str(error))
    assert len(errors) == 3
    return [*errors, w, w.grad]


@program
def random_numbers(block: Block) -> list[Any]:
    generator = torch.Generator().manual_seed(3)
    with block():
        made = [
            torch.randn(3),
            torch.rand(2, generator=generator),
            torch.randperm(5),
            torch.bernoulli(torch.full((4,), 0.5)),
        ]
    return [*made, generator.get_state()]


@program
def sparse_and_complex(block: Block) -> list[Any]:
    table = nn.Embedding(6, 3, sparse=True)
    z = torch.randn(3, dtype=torch.complex64, requires_grad=True)
    with block():
        table(torch.tensor([1, 1, 4])).sum().backward()
        (z.conj() * z.exp()).abs().sum().backward()
        imaginary = z.detach().conj().imag
    return [table.weight, table.weight.grad.to_dense(), z.grad, imaginary]
