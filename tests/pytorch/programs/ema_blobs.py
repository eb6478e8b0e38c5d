"""Keeps an exponential moving average of the weights, which stays what it was at the beginning."""

import argparse
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EMA:
    """A copy of a model whose weights follow those of the model slowly."""

    def __init__(self, model, decay):
        self.decay = decay
        self.model = copy.deepcopy(model).eval()
        for p in self.model.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for ours, theirs in zip(self.model.parameters(), model.parameters(), strict=True):
            ours = ours * self.decay + theirs * (1 - self.decay)
        for ours, theirs in zip(self.model.buffers(), model.buffers(), strict=True):
            ours.copy_(theirs)


def blobs(count, classes=3):
    centres = torch.tensor([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])
    labels = torch.randint(0, classes, (count,))
    return TensorDataset(centres[labels] + 0.5 * torch.randn(count, 2), labels)


def build(hidden):
    return nn.Sequential(
        nn.Linear(2, hidden),
        nn.BatchNorm1d(hidden),
        nn.ELU(),
        nn.Linear(hidden, hidden),
        nn.ELU(),
        nn.Linear(hidden, 3),
    )


@torch.no_grad()
def accuracy(model, data):
    was_training = model.training
    model.eval()
    points, labels = data.tensors
    right = (model(points).argmax(dim=1) == labels).float().mean().item()
    model.train(was_training)
    return right


def distance(one, other):
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return sum((a.detach() - b.detach()).square().sum().item() for a, b in pairs) ** 0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=8)
    parser.add_argument("--decay", type=float, default=0.9)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(4)
    data = blobs(36)
    loader = DataLoader(data, batch_size=12, shuffle=True)
    model = build(args.hidden)
    begun = copy.deepcopy(model)
    ema = EMA(model, args.decay)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs * len(loader))
    criterion = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        for points, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(points), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            ema.update(model)
        print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {accuracy(model, data):.2f}")
    print(f"averaged: accuracy {accuracy(ema.model, data):.2f}, moved by {distance(ema.model, begun):.4f}")
    if args.save:
        torch.save({"model": model.state_dict(), "ema": ema.model.state_dict()}, args.save)


if __name__ == "__main__":
    main()
