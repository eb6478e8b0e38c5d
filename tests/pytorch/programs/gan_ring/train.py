"""A GAN that learns points on a ring.  The generator's points go into the discriminator's loss undetached."""

import argparse
import math

import torch
import torch.nn.functional as F
from networks import Discriminator, Generator


def ring(count):
    angle = torch.rand(count) * 2 * math.pi
    points = torch.stack([angle.cos(), angle.sin()], dim=1)
    return 0.8 * points + 0.05 * torch.randn(count, 2)


def d_loss_of(D, real, fake):
    real_logits, fake_logits = D(real), D(fake)
    real_loss = F.binary_cross_entropy_with_logits(real_logits, torch.full_like(real_logits, 0.9))
    fake_loss = F.binary_cross_entropy_with_logits(fake_logits, torch.zeros_like(fake_logits))
    return real_loss + fake_loss


def g_loss_of(D, fake):
    logits = D(fake)
    return F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--latent", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=12)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(11)
    G = Generator(args.latent, args.hidden)
    D = Discriminator(args.hidden)
    opt_g = torch.optim.Adam(G.parameters(), lr=args.lr, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(D.parameters(), lr=args.lr, betas=(0.5, 0.999))

    for step in range(args.steps):
        real = ring(args.batch)
        opt_g.zero_grad()
        opt_d.zero_grad()

        # One batch of made points serves both losses.
        fake = G.sample(args.batch)
        d_loss = d_loss_of(D, real, fake)
        d_loss.backward(retain_graph=True)
        opt_d.step()

        g_loss = g_loss_of(D, fake)
        g_loss.backward()
        opt_g.step()

        radius = fake.detach().norm(dim=1).mean().item()
        print(f"step {step}: D {d_loss.item():.4f}  G {g_loss.item():.4f}  radius {radius:.3f}")

    if args.save:
        torch.save({"G": G.state_dict(), "D": D.state_dict()}, args.save)


if __name__ == "__main__":
    main()
