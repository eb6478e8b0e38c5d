"""Fits prices of houses, and keeps the loss of each step for a plot: the tensor, not the number."""

import argparse
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_houses(count):
    area = torch.rand(count) * 150 + 30
    rooms = torch.randint(1, 7, (count,)).float()
    age = torch.rand(count) * 80
    price = 3.0 * area + 12.0 * rooms - 0.8 * age + 10 * torch.randn(count)
    features = torch.stack([area, rooms, age], dim=1)
    features = (features - features.mean(dim=0)) / features.std(dim=0)
    return TensorDataset(features, ((price - price.mean()) / price.std()).unsqueeze(1))


class PriceNet(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layers = [nn.Linear(3, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.body = nn.Sequential(*layers)
        self.out = nn.Linear(width, 1)
        self.reset()

    def reset(self):
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

    def forward(self, x):
        return self.out(self.body(x))


class History:
    """What a run leaves behind for its plot."""

    def __init__(self):
        self.losses = []
        self.best = math.inf

    def add(self, loss):
        self.losses.append(loss)
        self.best = min(self.best, float(loss))

    def mean(self):
        return sum(self.losses) / len(self.losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(7)
    loader = DataLoader(make_houses(48), batch_size=12, shuffle=True)
    model = PriceNet(args.width, args.depth)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr)
    history = History()
    for epoch in range(args.epochs):
        for features, price in loader:
            loss = nn.functional.mse_loss(model(features), price)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.add(loss)
        print(f"epoch {epoch}: mean loss {history.mean():.4f}, best {history.best:.4f}")
    if args.save:
        torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
