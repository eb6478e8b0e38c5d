"""The sentences on calls that autograd refuses: cause, fix, and the fix that is often advised and does not help."""

from __future__ import annotations

from typing import NamedTuple


class Refusal(NamedTuple):
    """`{name}` is replaced by the program's name of the tensor, `{made}` by " at line 4", where it was made."""

    cause: str
    fix: str
    wrong_fix: str | None = None


REFUSALS = {
    "unused": Refusal(
        "The result was not computed from {name}, made{made}, or the history between them was cut by detach(), "
        "no_grad(), item() or a new tensor: no gradient came to it.",
        "Compute the result from this very tensor: not from a copy, and not from what it was bound to before.",
        "allow_unused=True silences the error and gives None: right only where the result may really not depend on it.",
    ),
    "unwatched": Refusal(
        "{name}, made{made}, does not require grad: what was computed from it was not recorded.",
        "Call {name}.requires_grad_() before computing from it.",
        "requires_grad_() after the computation silences this error and leads to the next: the history is not there.",
    ),
    "not_real": Refusal(
        "backward() starts from 1 only for a real number; {name} is complex, and a complex number has no direction of "
        "steepest ascent.",
        "Reduce it to a real number first, for instance with .abs() or .real, or pass gradient=.",
        ".real drops the imaginary part: right only where it is not meant to count.",
    ),
    "not_a_leaf": Refusal(
        "{name} was computed{made}: whether it requires grad follows from what it was computed from.",
        "Set requires_grad on the leaf before computing. To compute with the value alone, take {name}.detach().",
        "{name} = {name}.detach().requires_grad_() works, and cuts off everything that {name} was computed from.",
    ),
    "whole_numbers": Refusal(
        "{name}, made{made}, holds whole numbers or booleans: there is nothing between them, and so no derivative.",
        "Make it with a decimal point (torch.tensor([1.0, 2.0])) or with dtype=torch.float32.",
        "{name}.float().requires_grad_() gives a new tensor: the gradient goes there and not to {name}.",
    ),
    "numpy": Refusal(
        "{name}, made{made}, requires grad, and numpy knows no history: the gradient would be cut without a word.",
        "Go on computing in PyTorch. Where the value is only shown or stored, {name}.detach().numpy().",
        "detach() in the middle of a loss makes the error go away and the gradient too.",
    ),
    "copied_in_graph": Refusal(
        "{name} was computed{made}: a copy would need a copy of its whole history.",
        "Copy the value with {name}.detach().clone(), or, to stay in the graph, {name}.clone().",
    ),
    "computed_parameter": Refusal(
        "{name} was computed{made}. An optimizer changes leaves: tensors with a value and a gradient of their own.",
        "Give the optimizer the leaf that it was computed from. A start value is computed first and made a leaf then: "
        "w = (torch.randn(3) * 0.1).requires_grad_().",
        "{name}.retain_grad() gets it past this check, and the step changes a value that is computed anew anyway.",
    ),
    "inference": Refusal(
        "{name}, made{made} in inference mode, has no version counter, so that nodes can't save it.",
        "Make it under torch.no_grad() in place of inference_mode(), or take {name}.clone() outside.",
        "detach() does not help: what it gives is an inference tensor as well.",
    ),
    "without_gradient": Refusal(
        "{name}, made{made}, does not require grad: no gradient will ever come to it.",
        "Call requires_grad_() on the leaf before computing; or drop the hook.",
        "requires_grad_() on a tensor behind a cut gives it a gradient, and what comes before the cut still gets none.",
    ),
    "assigned_gradient": Refusal(
        "The gradient of {name}, made{made}, has an element for each of its own: the shapes have to be the same.",
        "Sum the dims that were broadcast, or reshape the gradient to the shape of {name}.",
        "Assigning to .grad.data skips the check, and the next step of the optimizer fails or broadcasts.",
    ),
    "reentrant": Refusal(
        "A checkpoint with use_reentrant=True runs a backward() of its own inside the pass, which can't tell wanted "
        "inputs apart: autograd.grad() and backward(inputs=...) need to.",
        "Pass use_reentrant=False to checkpoint().",
        "backward() in place of autograd.grad() runs, and fills the .grad of every leaf.",
    ),
}
