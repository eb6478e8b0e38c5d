import torch
import torch.nn.functional as F
from torch import nn


class Residual(nn.Module):
    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels_in, channels_out, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(),
            nn.Conv2d(channels_out, channels_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
        )
        self.short = nn.Identity()
        if stride != 1 or channels_in != channels_out:
            self.short = nn.Conv2d(channels_in, channels_out, 1, stride=stride, bias=False)

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x))


def stage(channels_in, channels_out, blocks, stride):
    first = Residual(channels_in, channels_out, stride)
    return nn.Sequential(first, *(Residual(channels_out, channels_out, 1) for _ in range(blocks - 1)))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.stages = nn.Sequential(stage(4, 4, 3, 1), stage(4, 8, 3, 2), stage(8, 16, 3, 2))
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = self.stages(F.relu(self.stem(x)))
        return self.head(x.mean(dim=(2, 3)))


torch.manual_seed(0)
model = ResNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
images = torch.randn(4, 3, 8, 8)
labels = torch.tensor([0, 1, 2, 3])
for step in range(4):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
