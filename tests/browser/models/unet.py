from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.first = nn.Conv2d(channels_in, channels_out, 3, padding=1)
        self.second = nn.Conv2d(channels_out, channels_out, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels_out)

    def forward(self, x):
        return F.relu(self.norm(self.second(F.relu(self.first(x)))))


class UNet(nn.Module):
    def __init__(self, sizes=(4, 8, 16)):
        super().__init__()
        pairs = list(pairwise(sizes))
        self.begin = Block(1, sizes[0])
        self.down = nn.ModuleList(Block(a, b) for a, b in pairs)
        self.grow = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in reversed(pairs))
        self.up = nn.ModuleList(Block(2 * a, a) for a, b in reversed(pairs))
        self.end = nn.Conv2d(sizes[0], 1, 1)

    def forward(self, x):
        x = self.begin(x)
        skipped = []
        for block in self.down:
            skipped.append(x)
            x = block(F.max_pool2d(x, 2))
        for grow, block in zip(self.grow, self.up, strict=True):
            x = block(torch.cat([grow(x), skipped.pop()], dim=1))
        return self.end(x)


torch.manual_seed(0)
model = UNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
image = torch.rand(2, 1, 8, 8)
mask = (image > 0.5).float()
for step in range(12):
    optimizer.zero_grad()
    loss = F.binary_cross_entropy_with_logits(model(image), mask)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
