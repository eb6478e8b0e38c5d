import torch

generator = torch.tensor(0.5, requires_grad=True)
critic = torch.tensor(2.0, requires_grad=True)
of_generator = torch.optim.SGD([generator], lr=0.1)
of_critic = torch.optim.SGD([critic], lr=0.1)

for step in range(2):
    fake = generator * 3
    of_critic.zero_grad()
    (critic * fake.detach() - critic).backward()
    of_critic.step()
    of_generator.zero_grad()
    (-critic * fake).backward()
    of_generator.step()
