# title: One step of a GAN
# summary: detach() keeps the discriminator's loss from the generator, which gets its gradient from its own.

import torch

torch.manual_seed(0)
generator = torch.nn.Linear(1, 1)
discriminator = torch.nn.Linear(1, 1)

noise = torch.tensor([[0.5], [-1.0]])
fake = generator(noise)

loss = torch.sigmoid(discriminator(fake.detach())).mean()
loss.backward()
print(generator.weight.grad)
print(discriminator.weight.grad is None)
