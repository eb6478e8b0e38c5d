"""Trains a checkpointed GPT on frozen embeddings; with --reentrant its blocks get no gradients."""

import argparse
import math

import torch
import torch.nn.functional as F
from model import GPT
from text import Words


def cosine(step, steps, lr):
    return 0.5 * lr * (1 + math.cos(math.pi * step / steps))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--length", type=int, default=6)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--reentrant", action="store_true")
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(8)
    words = Words()
    model = GPT(len(words.known), args.length, reentrant=args.reentrant)
    model.freeze_embeddings()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=args.lr, betas=(0.9, 0.95))

    for step in range(args.steps):
        for group in optimizer.param_groups:
            group["lr"] = cosine(step, args.steps, args.lr)
        total = 0.0
        for _ in range(args.accumulate):
            x, y = words.batch(args.batch, args.length)
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten()) / args.accumulate
            loss.backward()
            total += loss.item()
        norm = torch.nn.utils.clip_grad_norm_(trained, args.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print(f"step {step}: loss {total:.4f}, norm {norm:.4f}")
    if args.save:
        torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
