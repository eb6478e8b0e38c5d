"""A short text as numbers."""

import torch

POEM = "the cat sat on the mat and the rat sat on the hat that the cat had had on the mat"


class Words:
    def __init__(self, text=POEM):
        words = text.split()
        self.known = {word: number for number, word in enumerate(sorted(set(words)))}
        self.ids = torch.tensor([self.known[word] for word in words])

    def batch(self, count, length):
        starts = torch.randint(0, len(self.ids) - length, (count,))
        x = torch.stack([self.ids[s : s + length] for s in starts])
        y = torch.stack([self.ids[s + 1 : s + length + 1] for s in starts])
        return x, y
