"""The generator, which makes points, and the discriminator, which rates how real a point looks."""

from itertools import pairwise

import torch
from torch import nn


def mlp(*sizes, last=None):
    layers = []
    for before, after in pairwise(sizes[:-1]):
        layers += [nn.Linear(before, after), nn.LeakyReLU(0.2)]
    layers.append(nn.Linear(sizes[-2], sizes[-1]))
    if last is not None:
        layers.append(last)
    return nn.Sequential(*layers)


class Generator(nn.Module):
    def __init__(self, latent, hidden):
        super().__init__()
        self.latent = latent
        self.net = mlp(latent, hidden, 2, last=nn.Tanh())

    def sample(self, count):
        return self(torch.randn(count, self.latent))

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.net = mlp(2, hidden, hidden, 1)

    def forward(self, points):
        return self.net(points).squeeze(1)
