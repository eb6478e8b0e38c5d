import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.queries = nn.ModuleList(nn.Linear(width, width // heads) for _ in range(heads))
        self.keys = nn.ModuleList(nn.Linear(width, width // heads) for _ in range(heads))
        self.values = nn.ModuleList(nn.Linear(width, width // heads) for _ in range(heads))
        self.out = nn.Linear(width, width)

    def forward(self, x, memory, mask=None):
        seen = []
        for query, key, value in zip(self.queries, self.keys, self.values, strict=True):
            q, k, v = query(x), key(memory), value(memory)
            scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
            if mask is not None:
                scores = scores.masked_fill(mask, float("-inf"))
            seen.append(F.softmax(scores, dim=-1) @ v)
        return self.out(torch.cat(seen, dim=-1))


class Layer(nn.Module):
    def __init__(self, width, heads, crosses):
        super().__init__()
        self.attention = Attention(width, heads)
        self.cross = Attention(width, heads) if crosses else None
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

    def forward(self, x, memory=None, mask=None):
        x = self.norms[0](x + self.attention(x, x, mask))
        if self.cross is not None:
            x = self.norms[1](x + self.cross(x, memory))
        return self.norms[2](x + self.feed(x))


class Transformer(nn.Module):
    def __init__(self, tokens=11, width=16, heads=4, layers=3):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.encoder = nn.ModuleList(Layer(width, heads, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(width, heads, True) for _ in range(layers))
        self.head = nn.Linear(width, tokens)

    def forward(self, source, target):
        memory = self.embedding(source)
        for layer in self.encoder:
            memory = layer(memory)
        x = self.embedding(target)
        mask = torch.triu(torch.ones(target.shape[1], target.shape[1]), 1).bool()
        for layer in self.decoder:
            x = layer(x, memory, mask)
        return self.head(x)


torch.manual_seed(0)
model = Transformer()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
source = torch.randint(0, 11, (2, 6))
for step in range(2):
    optimizer.zero_grad()
    logits = model(source, source[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 11), source[:, 1:].reshape(-1))
    loss.backward()
    optimizer.step()
    print(step, loss.item())
