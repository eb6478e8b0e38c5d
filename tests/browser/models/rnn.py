import torch

torch.manual_seed(0)
letters = "the quick brown fox jumps over the lazy dog"
known = sorted(set(letters))
inputs = torch.eye(len(known))[[known.index(letter) for letter in letters]]

size = 12
w_in = (torch.randn(len(known), size) * 0.3).requires_grad_()
w_hidden = (torch.randn(size, size) * 0.3).requires_grad_()
w_out = (torch.randn(size, len(known)) * 0.3).requires_grad_()
b_hidden = torch.zeros(size, requires_grad=True)
b_out = torch.zeros(len(known), requires_grad=True)
parameters = [w_in, w_hidden, w_out, b_hidden, b_out]

for epoch in range(2):
    hidden = torch.zeros(size)
    loss = 0.0
    for t in range(len(letters) - 1):
        hidden = torch.tanh(inputs[t] @ w_in + hidden @ w_hidden + b_hidden)
        guess = torch.log_softmax(hidden @ w_out + b_out, dim=0)
        loss = loss - (guess * inputs[t + 1]).sum()
    loss.backward()
    with torch.no_grad():
        for parameter in parameters:
            parameter -= 0.01 * parameter.grad
            parameter.grad = None
    print(epoch, loss.item())
