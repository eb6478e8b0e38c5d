"""An autoencoder with a warmed-up learning rate, whose schedule steps before the optimizer does."""

import argparse

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    """Sampled sines of different frequency and phase, with noise."""

    def __init__(self, count, samples):
        t = torch.linspace(0, 6.28, samples)
        frequency = torch.rand(count, 1) * 2 + 0.5
        phase = torch.rand(count, 1) * 6.28
        self.clean = torch.sin(frequency * t + phase)
        self.noisy = self.clean + 0.1 * torch.randn(count, samples)

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, i):
        return self.noisy[i], self.clean[i]


class Autoencoder(nn.Module):
    def __init__(self, samples, code):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(1, 4, 5, stride=2, padding=2), nn.GroupNorm(2, 4), nn.GELU(), nn.Flatten(),
            nn.Linear(4 * samples // 2, code),
        )  # fmt: skip
        self.decoder = nn.Sequential(
            nn.Linear(code, 4 * samples // 2), nn.Unflatten(1, (4, samples // 2)), nn.GELU(),
            nn.ConvTranspose1d(4, 1, 4, stride=2, padding=1),
        )  # fmt: skip

    def forward(self, x):
        return self.decoder(self.encoder(x.unsqueeze(1))).squeeze(1)


def warmup(steps, total):
    def factor(step):
        if step < steps:
            return step / steps
        return max(0.0, (total - step) / (total - steps))

    return factor


def parameter_groups(model, weight_decay):
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=0.05)
    parser.add_argument("--order", choices=("schedule-first", "optimizer-first"), default="schedule-first")
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(6)
    loader = DataLoader(Waves(24, 16), batch_size=6, shuffle=True)
    model = Autoencoder(16, code=3)
    optimizer = torch.optim.AdamW(parameter_groups(model, args.weight_decay), lr=args.lr)
    scheduler = LambdaLR(optimizer, warmup(args.warmup, args.steps))

    batches = iter(loader)
    for step in range(args.steps):
        noisy, clean = next(batches)
        loss = nn.functional.smooth_l1_loss(model(noisy), clean)
        optimizer.zero_grad()
        loss.backward()
        if args.order == "schedule-first":
            scheduler.step()
            optimizer.step()
        else:
            optimizer.step()
            scheduler.step()
        print(f"step {step}: loss {loss.item():.4f}, next rate {scheduler.get_last_lr()[0]:.4f}")
    if args.save:
        torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
