# title: An LSTM, 100 steps unrolled
# summary: One cell is called a hundred times; its gradient runs back through all of them.

import torch
from torch import nn

torch.manual_seed(0)
cell = nn.LSTMCell(4, 8)
head = nn.Linear(8, 1)
wave = torch.sin(torch.arange(101) / 5.0)

h = c = torch.zeros(1, 8)
loss = 0.0
for t in range(100):
    x = wave[t].repeat(1, 4)
    h, c = cell(x, (h, c))
    loss = loss + (head(h) - wave[t + 1]).square().mean()
loss.backward()
print(f"{loss.item() / 100:.4f}")
