# title: A GPT of 12 layers
# summary: Twelve blocks with twelve heads each, and one step of AdamW.

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
context, width, heads, layers = 8, 48, 12, 12
batches = 1  # 12 of them make a step of 37,000 nodes: more than a hosted server allows, but not your own

text = "to be or not to be that is the question "
letters = sorted(set(text))
data = torch.tensor([letters.index(letter) for letter in text])
future = torch.ones(context, context).triu(1).bool()

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        size = width // heads
        seen = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = q[:, part] @ k[:, part].T / size ** 0.5
            weights = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
            seen.append(weights @ v[:, part])
        return self.out(torch.cat(seen, dim=-1))

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))

class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(len(letters), width)
        self.place = nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, len(letters))

    def forward(self, tokens):
        x = self.token(tokens) + self.place(torch.arange(context))
        return self.head(self.norm(self.blocks(x)))

model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for i in range(batches):
    x, y = data[i : i + context], data[i + 1 : i + context + 1]
    loss = F.cross_entropy(model(x), y) / batches
    loss.backward()
optimizer.step()
print(f"{loss.item():.4f}")
