"""The programs that `pipeline.py` follows from the engine to the page, by name; each runs on PyTorch as it is here."""

from __future__ import annotations

CHAIN = """import torch

x = torch.tensor(0.5, requires_grad=True)
w = torch.tensor(1.01, requires_grad=True)
y = x
for _ in range({rounds}):
    y = y * w
    y = y + x
    y = y.tanh()
    y = y * 0.9
    y = y - 0.1
y.backward()
"""

MLP = """import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 8)
target = x.sin().sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range({steps}):
    loss = nn.functional.mse_loss(model(x), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

GPT = """import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
context, width, heads, letters = 16, 48, 4, 12
data = torch.randint(0, letters, (64,))
future = torch.ones(context, context).triu(1).bool()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (t.view(context, heads, width // heads).transpose(0, 1) for t in (q, k, v))
        scores = (q @ k.transpose(1, 2) / (width // heads) ** 0.5).masked_fill(future, float("-inf"))
        mixed = (F.softmax(scores, dim=-1) @ v).transpose(0, 1).reshape(context, width)
        x = x + self.out(mixed)
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.place = nn.Embedding(letters, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Block() for _ in range({layers})])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.token(tokens) + self.place(torch.arange(context)))))


model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for i in range({steps}):
    loss = F.cross_entropy(model(data[i : i + context]), data[i + 1 : i + context + 1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

LSTM_BY_HAND = """import torch

torch.manual_seed(0)
size = 16
wave = torch.sin(torch.arange({steps} + 1) / 5.0)
gates = [(torch.randn(size, size + 1) * 0.3).requires_grad_() for _ in range(4)]
biases = [torch.zeros(size, requires_grad=True) for _ in range(4)]
h = c = torch.zeros(size)
for t in range({steps}):
    z = torch.cat([wave[t].reshape(1), h])
    i, f, o = (torch.sigmoid(w @ z + b) for w, b in zip(gates[:3], biases[:3]))
    c = f * c + i * torch.tanh(gates[3] @ z + biases[3])
    h = o * torch.tanh(c)
loss = (h.mean() - wave[{steps}]) ** 2
loss.backward()
"""

LSTM_CELL = """import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.LSTMCell(1, 16), nn.Linear(16, 1)
wave = torch.sin(torch.arange({steps} + 1) / 5.0)
h = c = torch.zeros(1, 16)
loss = 0.0
for t in range({steps}):
    h, c = cell(wave[t].reshape(1, 1), (h, c))
    loss = loss + (head(h) - wave[t + 1]).square().mean()
loss.backward()
"""

PRINTS = """import torch

x = torch.linspace(-2, 2, 8, requires_grad=True)
for step in range({steps}):
    y = x * step
    print(step, y.sum())
y.sum().backward()
print(x.grad)
"""

PROGRAMS = {
    "chain 1k": CHAIN.format(rounds=200),
    "chain 10k": CHAIN.format(rounds=2_000),
    "chain 150k": CHAIN.format(rounds=30_000),
    "MLP loop": MLP.format(steps=1_000),
    "GPT, 2 layers": GPT.format(layers=2, steps=10),
    "GPT, 12 layers": GPT.format(layers=12, steps=4),
    "LSTM by hand": LSTM_BY_HAND.format(steps=500),
    "LSTMCell": LSTM_CELL.format(steps=500),
    "prints": PRINTS.format(steps=2_000),
}
