"""Trains a small gated network on coloured squares.  A gate is clamped in place, which its sigmoid has to forbid."""

import argparse

import torch
from blocks import GatedConvNet
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def coloured_squares(count, size=8):
    labels = torch.randint(0, 4, (count,))
    images = torch.randn(count, 3, size, size) * 0.3
    for image, label in zip(images, labels, strict=True):
        row, column = divmod(int(label), 2)
        image[:, row * size // 2 : (row + 1) * size // 2, column * size // 2 : (column + 1) * size // 2] += 1
    return TensorDataset(images, labels)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--channels", type=int, default=8)
    parser.add_argument("--save")
    return parser.parse_args()


def train_epoch(model, loader, criterion, optimizer):
    model.train()
    running = 0.0
    for images, labels in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(images), labels)
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
        running += loss.item()
    return running / len(loader)


def main():
    args = parse()
    torch.manual_seed(0)
    loader = DataLoader(coloured_squares(16), batch_size=8, shuffle=True, num_workers=0)
    model = GatedConvNet(args.channels)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum, nesterov=True)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    for epoch in range(args.epochs):
        print(f"epoch {epoch}: loss {train_epoch(model, loader, criterion, optimizer):.4f}")
        scheduler.step()
    if args.save:
        torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
