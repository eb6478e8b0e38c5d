"""A character model with an LSTM.  Its gradients are clipped when the step has used them already."""

import argparse

import torch
from torch import nn

TEXT = "she sells sea shells by the sea shore; the shells she sells are sea shells for sure. "


class Corpus:
    def __init__(self, text):
        self.letters = sorted(set(text))
        self.ids = torch.tensor([self.letters.index(letter) for letter in text])

    def __len__(self):
        return len(self.letters)

    def windows(self, batch, length):
        """Yield windows that follow each other, so that the state can be carried on."""
        rows = self.ids[: len(self.ids) // batch * batch].view(batch, -1)
        for start in range(0, rows.size(1) - 1, length):
            stop = min(start + length, rows.size(1) - 1)
            yield rows[:, start:stop], rows[:, start + 1 : stop + 1]


class CharRNN(nn.Module):
    def __init__(self, letters, hidden, layers):
        super().__init__()
        self.embed = nn.Embedding(letters, hidden)
        self.rnn = nn.LSTM(hidden, hidden, layers, batch_first=True, dropout=0.1)
        self.out = nn.Linear(hidden, letters)
        self.out.weight = self.embed.weight

    def forward(self, x, state=None):
        h, state = self.rnn(self.embed(x), state)
        return self.out(h), state


def detach(state):
    return tuple(part.detach() for part in state)


def generate(model, corpus, count):
    model.eval()
    letter, state, text = torch.zeros(1, 1, dtype=torch.long), None, ""
    with torch.inference_mode():
        for _ in range(count):
            logits, state = model(letter, state)
            letter = torch.multinomial(logits[:, -1].softmax(dim=-1), 1)
            text += corpus.letters[letter.item()]
    model.train()
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--hidden", type=int, default=12)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1.0)
    parser.add_argument("--max-norm", type=float, default=0.05)
    parser.add_argument("--save")
    args = parser.parse_args()

    torch.manual_seed(2)
    corpus = Corpus(TEXT)
    model = CharRNN(len(corpus), args.hidden, args.layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        state, total, count = None, 0.0, 0
        for x, y in corpus.windows(batch=4, length=7):
            logits, state = model(x, state)
            state = detach(state)
            loss = nn.functional.cross_entropy(logits.reshape(-1, len(corpus)), y.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            norm = nn.utils.clip_grad_norm_(model.parameters(), args.max_norm)
            total, count = total + loss.item(), count + 1
        print(f"epoch {epoch}: loss {total / count:.4f}, norm {norm:.4f}")
    print(repr(generate(model, corpus, 12)))
    if args.save:
        torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
