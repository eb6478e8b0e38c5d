"""Predicts two things from the same sensors; the second head is built, and its loss never joins the first."""

import argparse
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


@dataclass
class Config:
    sensors: int = 6
    hidden: int = 12
    epochs: int = 2
    batch: int = 8
    lr: float = 0.01
    aux_weight: float = 0.0


class Machines(Dataset):
    """Readings of machines, how long they last, and whether they shake."""

    def __init__(self, count, sensors):
        self.readings = torch.randn(count, sensors)
        self.lifetime = self.readings[:, :2].sum(dim=1, keepdim=True) + 0.1 * torch.randn(count, 1)
        self.shakes = (self.readings[:, 2] > 0).float().unsqueeze(1)

    def __len__(self):
        return len(self.readings)

    def __getitem__(self, i):
        return {"x": self.readings[i], "lifetime": self.lifetime[i], "shakes": self.shakes[i]}


class MultiTask(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(config.sensors, config.hidden),
            nn.LayerNorm(config.hidden),
            nn.SiLU(),
        )
        self.lifetime_head = nn.Linear(config.hidden, 1)
        self.shakes_head = nn.Linear(config.hidden, 1)

    def forward(self, x):
        features = self.trunk(x)
        return {"lifetime": self.lifetime_head(features), "shakes": self.shakes_head(features)}


def compute_loss(out, batch, config):
    loss = nn.functional.huber_loss(out["lifetime"], batch["lifetime"])
    aux = nn.functional.binary_cross_entropy_with_logits(out["shakes"], batch["shakes"])
    if config.aux_weight > 0:
        loss = loss + config.aux_weight * aux
    return loss, {"lifetime": loss.item(), "shakes": aux.item()}


def grad_norms(model):
    return {name: None if p.grad is None else round(p.grad.norm().item(), 4) for name, p in model.named_parameters()}


def run_epoch(model, loader, config, optimizer=None):
    model.train(optimizer is not None)
    sums = {}
    with torch.set_grad_enabled(optimizer is not None):
        for batch in loader:
            out = model(batch["x"])
            loss, logs = compute_loss(out, batch, config)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            for key, value in logs.items():
                sums[key] = sums.get(key, 0.0) + value / len(loader)
    return sums


def main(config, save=None):
    torch.manual_seed(1)
    data = Machines(40, config.sensors)
    train, valid = random_split(data, [32, 8])
    train_loader = DataLoader(train, batch_size=config.batch, shuffle=True)
    valid_loader = DataLoader(valid, batch_size=config.batch)

    model = MultiTask(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)
    for epoch in range(config.epochs):
        logs = run_epoch(model, train_loader, config, optimizer)
        held_out = run_epoch(model, valid_loader, config)
        print(f"epoch {epoch}: {logs['lifetime']:.4f} {logs['shakes']:.4f} | {held_out['lifetime']:.4f}")
    for name, norm in grad_norms(model).items():
        print(f"  {name}: {norm}")
    if save:
        torch.save(model.state_dict(), save)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--aux-weight", type=float, default=0.0)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--save")
    given = parser.parse_args()
    main(Config(epochs=given.epochs, aux_weight=given.aux_weight), given.save)
