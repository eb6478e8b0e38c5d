"""A classifier of reviews that weighs words by attention."""

import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x, mask):
        scores = self.score(torch.tanh(x)).squeeze(-1)
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        return (weights.unsqueeze(-1) * x).sum(dim=1)


class ReviewClassifier(nn.Module):
    def __init__(self, vocabulary, width, classes=2, dropout=0.1):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width, padding_idx=0)
        self.mix = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Dropout(dropout))
        self.pool = AttentionPool(width)
        self.classify = nn.Linear(width, classes)

    def forward(self, tokens, mask):
        x = self.embed(tokens)
        x = x + self.mix(x)
        return self.classify(self.pool(x, mask))
