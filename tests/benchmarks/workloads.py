"""The programs whose speed is compared: each makes a step, forward + backward, from a torch-like namespace."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

Step = Callable[[], Any]


def scalar_chain(torch: Any) -> Step:
    """1,000 ops on scalars: products, sums and tanh of two leaves."""
    x = torch.tensor(0.5, requires_grad=True)
    w = torch.tensor(1.01, requires_grad=True)

    def step() -> None:
        y = x
        for _ in range(200):
            y = y * w
            y = y + x
            y = y.tanh()
            y = y * 0.9
            y = y - 0.1
        y.backward()
        x.grad = w.grad = None

    return step


def vector_chain(torch: Any) -> Step:
    """The same 1,000 ops on vectors of 8."""
    x = torch.full((8,), 0.5, requires_grad=True)
    w = torch.full((8,), 1.01, requires_grad=True)

    def step() -> None:
        y = x
        for _ in range(200):
            y = y * w
            y = y + x
            y = y.tanh()
            y = y * 0.9
            y = y - 0.1
        y.sum().backward()
        x.grad = w.grad = None

    return step


def scalar_mlp(torch: Any) -> Step:
    """MLP 2-16-16-1 of scalars, one tensor a weight, tanh, squared error of one sample."""
    torch.manual_seed(0)
    sizes = [2, 16, 16, 1]
    layers = [
        [[torch.tensor(0.01 * ((7 * i + 3 * j) % 11 - 5), requires_grad=True) for j in range(a + 1)] for i in range(b)]
        for a, b in pairwise(sizes)
    ]

    def step() -> None:
        values = [torch.tensor(0.3), torch.tensor(-0.7)]
        for layer in layers:
            found = []
            for weights in layer:
                total = weights[-1]
                for w, v in zip(weights, values, strict=False):
                    total = total + w * v
                found.append(total.tanh())
            values = found
        loss = (values[0] - 1.0) ** 2
        loss.backward()
        for layer in layers:
            for weights in layer:
                for w in weights:
                    w.grad = None

    return step


def mlp(torch: Any) -> Step:
    """MLP 784-256-128-10 of plain tensors, batch 64, cross entropy, SGD."""
    torch.manual_seed(0)
    x, target = torch.randn(64, 784), torch.randint(0, 10, (64,))
    sizes = [784, 256, 128, 10]
    weights = [(torch.randn(a, b) * 0.05).requires_grad_() for a, b in pairwise(sizes)]
    biases = [torch.zeros(b, requires_grad=True) for b in sizes[1:]]
    optimizer = torch.optim.SGD([*weights, *biases], lr=0.01)

    def step() -> None:
        h = x
        for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
            h = h @ w + b
            if i < 2:
                h = torch.relu(h)
        loss = torch.nn.functional.cross_entropy(h, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def mlp_of_modules(torch: Any) -> Step:
    """The same MLP of nn.Linear in nn.Sequential, with Adam."""
    nn = torch.nn
    torch.manual_seed(0)
    x, target = torch.randn(64, 784), torch.randint(0, 10, (64,))
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()

    def step() -> None:
        optimizer.zero_grad()
        loss = criterion(model(x), target)
        loss.backward()
        optimizer.step()

    return step


def conv_net(torch: Any) -> Step:
    """Two convolutions with ReLU and max pooling, a linear layer; batch 8 of 1x28x28."""
    nn = torch.nn
    torch.manual_seed(0)
    x, target = torch.randn(8, 1, 28, 28), torch.randint(0, 10, (8,))
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 7 * 7, 10),
    )

    def step() -> None:
        model.zero_grad()
        torch.nn.functional.cross_entropy(model(x), target).backward()

    return step


def transformer_block(torch: Any) -> Step:
    """A pre-norm block of plain ops: 64 wide, 4 heads, 32 positions, batch 4, GELU."""
    F = torch.nn.functional
    torch.manual_seed(0)
    width, heads, length, batch = 64, 4, 32, 4
    x = torch.randn(batch, length, width)

    def weight(*shape: int) -> Any:
        return (torch.randn(*shape) * 0.05).requires_grad_()

    qkv, qkv_bias, out, out_bias = weight(3 * width, width), weight(3 * width), weight(width, width), weight(width)
    up, up_bias, down, down_bias = (
        weight(4 * width, width),
        weight(4 * width),
        weight(width, 4 * width),
        weight(width),
    )
    scale1, shift1, scale2, shift2 = (torch.ones(width, requires_grad=True) for _ in range(4))
    leaves = [qkv, qkv_bias, out, out_bias, up, up_bias, down, down_bias, scale1, shift1, scale2, shift2]

    def step() -> None:
        h = F.layer_norm(x, (width,), scale1, shift1)
        q, k, v = F.linear(h, qkv, qkv_bias).split(width, dim=-1)
        q, k, v = (t.view(batch, length, heads, width // heads).transpose(1, 2) for t in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) * (width // heads) ** -0.5
        mixed = (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(batch, length, width)
        y = x + F.linear(mixed, out, out_bias)
        h = F.layer_norm(y, (width,), scale2, shift2)
        y = y + F.linear(F.gelu(F.linear(h, up, up_bias)), down, down_bias)
        (y * y).mean().backward()
        for leaf in leaves:
            leaf.grad = None

    return step


def transformer_layer(torch: Any) -> Step:
    """nn.TransformerEncoderLayer of the same size, in train mode without dropout."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True)
    x = torch.randn(4, 32, 64)

    def step() -> None:
        layer.zero_grad()
        layer(x).square().mean().backward()

    return step


def large_elementwise(torch: Any) -> Step:
    """A chain of 10 elementwise ops on 1,000,000 floats."""
    torch.manual_seed(0)
    x = torch.randn(1_000_000, requires_grad=True)
    w = torch.randn(1_000_000, requires_grad=True)

    def step() -> None:
        y = x
        for _ in range(2):
            y = y * w
            y = y + x
            y = torch.relu(y)
            y = y * 0.5
            y = y - w
        y.sum().backward()
        x.grad = w.grad = None

    return step


def broadcast(torch: Any) -> Step:
    """Rows and columns broadcast over a matrix of 256x256, multiplied, added and summed."""
    torch.manual_seed(0)
    matrix = torch.randn(256, 256, requires_grad=True)
    row = torch.randn(256, requires_grad=True)
    column = torch.randn(256, 1, requires_grad=True)

    def step() -> None:
        ((matrix * row + column) * column + row).sum().backward()
        matrix.grad = row.grad = column.grad = None

    return step


def double_backward(torch: Any) -> Step:
    """The gradient norm of an MLP 64-128-128-1 with tanh, batch 32, differentiated again."""
    torch.manual_seed(0)
    x = torch.randn(32, 64, requires_grad=True)
    sizes = [64, 128, 128, 1]
    weights = [(torch.randn(a, b) * 0.1).requires_grad_() for a, b in pairwise(sizes)]

    def step() -> None:
        h = x
        for i, w in enumerate(weights):
            h = h @ w
            if i < 2:
                h = torch.tanh(h)
        (g,) = torch.autograd.grad(h.sum(), x, create_graph=True)
        (g * g).sum().backward()
        for w in weights:
            w.grad = None
        x.grad = None

    return step


def lstm(torch: Any) -> Step:
    """nn.LSTM 32 wide over 20 positions, batch 8."""
    torch.manual_seed(0)
    layer, x = torch.nn.LSTM(32, 32, batch_first=True), torch.randn(8, 20, 32)

    def step() -> None:
        layer.zero_grad()
        layer(x)[0].square().mean().backward()

    return step


def embedding(torch: Any) -> Step:
    """nn.Embedding of 1,000 words, 64 wide, 256 of them looked up, a linear layer behind."""
    torch.manual_seed(0)
    table, layer = torch.nn.Embedding(1000, 64), torch.nn.Linear(64, 16)
    words = torch.randint(0, 1000, (8, 32))

    def step() -> None:
        table.zero_grad()
        layer.zero_grad()
        layer(table(words)).square().mean().backward()

    return step


# Name -> (how a step is made, how often it runs in one measurement, the ratio to PyTorch that is aimed at).
WORKLOADS: dict[str, tuple[Callable[[Any], Step], int, float | None]] = {
    "1,000 scalar ops": (scalar_chain, 3, 0.3),
    "1,000 ops on 8-vectors": (vector_chain, 3, 0.4),
    "scalar MLP 2-16-16-1": (scalar_mlp, 3, None),
    "MLP, SGD": (mlp, 20, 1.0),
    "MLP of modules, Adam": (mlp_of_modules, 20, None),
    "conv net": (conv_net, 10, 0.75),
    "transformer block": (transformer_block, 10, 0.8),
    "nn.TransformerEncoderLayer": (transformer_layer, 10, None),
    "elementwise, 1e6 floats": (large_elementwise, 1, 1.0),
    "broadcast and sum": (broadcast, 20, 1.1),
    "double backward, MLP": (double_backward, 10, 1.0),
    "nn.LSTM": (lstm, 5, None),
    "nn.Embedding": (embedding, 20, None),
}
