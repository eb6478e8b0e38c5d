"""The blocks of a convolutional network whose channels are gated."""

import torch
from torch import nn


class ChannelGate(nn.Module):
    """Weighs channels by what they have on average (squeeze and excitation)."""

    def __init__(self, channels, reduction=2, floor=0.3):
        super().__init__()
        self.squeeze = nn.Linear(channels, channels // reduction)
        self.excite = nn.Linear(channels // reduction, channels)
        self.floor = floor

    def forward(self, x):
        summary = x.mean(dim=(2, 3))
        gate = torch.sigmoid(self.excite(torch.relu(self.squeeze(summary))))
        gate.clamp_(min=self.floor, max=0.5)
        return x * gate[:, :, None, None]


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.gate = ChannelGate(channels)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.act(self.norm1(self.conv1(x)))
        out = self.gate(self.norm2(self.conv2(out)))
        out += x
        return self.act(out)


class GatedConvNet(nn.Module):
    def __init__(self, channels=8, blocks=2, classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(inplace=True))
        self.blocks = nn.ModuleList(Block(channels) for _ in range(blocks))
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=(2, 3)))
