"""Mixed precision: autocast to float16 and a GradScaler whose first scale is so large that steps are skipped."""

import argparse

import torch
from torch import nn
from torch.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset


def digits(count, size):
    """Noisy bars in the place that belongs to the digit."""
    labels = torch.arange(count) % 5
    images = torch.rand(count, 1, size, size) * 0.2
    for i, label in enumerate(labels.tolist()):
        images[i, 0, :, label : label + 2] += 1.0
    return TensorDataset(images, labels)


class Digits(nn.Module):
    def __init__(self, size, classes=5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Flatten(),
            nn.Linear(size * size, 24),
            nn.ReLU(),
            nn.Dropout(0.2),
        )
        self.classifier = nn.Linear(24, classes)

    def forward(self, x):
        return self.classifier(self.features(x))


def train_step(model, batch, optimizer, scaler, args):
    images, labels = batch
    optimizer.zero_grad(set_to_none=True)
    with autocast("cpu", dtype=torch.float16):
        logits = model(images)
        loss = nn.functional.cross_entropy(logits, labels)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    return loss.item(), norm.item(), scaler.get_scale() < before


@torch.no_grad()
def accuracy(model, data):
    model.eval()
    images, labels = data.tensors
    with autocast("cpu", dtype=torch.bfloat16):
        guesses = model(images).argmax(dim=1)
    model.train()
    return (guesses == labels).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--scale", type=float, default=2.0**18)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(5)
    data = digits(40, 6)
    loader = DataLoader(data, batch_size=10, shuffle=True, drop_last=True)
    model = Digits(6)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scaler = GradScaler("cpu", init_scale=args.scale, backoff_factor=0.25, growth_interval=100)

    skipped = 0
    for step, batch in zip(range(args.steps), loader, strict=False):
        loss, norm, skips = train_step(model, batch, optimizer, scaler, args)
        skipped += skips
        print(f"step {step}: loss {loss:.4f}, norm {norm:.4f}, scale {scaler.get_scale():.0f}")
    print(f"{skipped} steps skipped, accuracy {accuracy(model, data):.2f}")
    if args.save:
        torch.save({"model": model.state_dict(), "scaler": scaler.state_dict()}, args.save)


if __name__ == "__main__":
    main()
