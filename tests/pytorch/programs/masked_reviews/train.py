"""Trains a classifier of reviews.  One review of the data is empty."""

import argparse

import torch
import torch.nn.functional as F
from data import Reviews, collate
from model import ReviewClassifier
from torch.utils.data import DataLoader


def evaluate(model, loader):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for tokens, mask, labels in loader:
            right += (model(tokens, mask).argmax(dim=1) == labels).sum().item()
            total += len(labels)
    model.train()
    return right / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    train_set = Reviews(32, vocabulary=50, longest=9, seed=args.seed)
    held_out = Reviews(16, vocabulary=50, longest=9, seed=args.seed + 1)
    loader = DataLoader(train_set, batch_size=args.batch, shuffle=True, collate_fn=collate)

    model = ReviewClassifier(vocabulary=50, width=args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)

    for epoch in range(args.epochs):
        total = 0.0
        for tokens, mask, labels in loader:
            optimizer.zero_grad()
            logits = model(tokens, mask)
            loss = F.cross_entropy(logits, labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.4f}")
    print(f"accuracy {evaluate(model, DataLoader(held_out, batch_size=16, collate_fn=collate)):.2f}")

    if args.save:
        torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
