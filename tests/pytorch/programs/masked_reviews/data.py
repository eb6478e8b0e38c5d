"""Made-up reviews: lists of word ids of different lengths, and whether the reviewer was content."""

import torch
from torch.utils.data import Dataset

PAD = 0


class Reviews(Dataset):
    def __init__(self, count, vocabulary, longest, seed):
        generator = torch.Generator().manual_seed(seed)
        self.reviews = []
        for _ in range(count):
            length = int(torch.randint(0, longest + 1, (), generator=generator))
            words = torch.randint(1, vocabulary, (length,), generator=generator)
            label = int((words < vocabulary // 2).sum() * 2 > length)
            self.reviews.append((words, label))

    def __len__(self):
        return len(self.reviews)

    def __getitem__(self, index):
        return self.reviews[index]


def collate(batch):
    longest = max(len(words) for words, _ in batch)
    tokens = torch.full((len(batch), max(longest, 1)), PAD)
    for row, (words, _) in enumerate(batch):
        tokens[row, : len(words)] = words
    labels = torch.tensor([label for _, label in batch])
    return tokens, tokens != PAD, labels
