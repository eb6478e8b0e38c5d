"""The confusions that wrong predictions may name: what people get wrong most often about backward()."""

from __future__ import annotations

CONFUSIONS = {
    "in_place": (
        "A value that backward() still needs was overwritten in place. The graph keeps the tensor itself, not"
        " a copy, and its version number shows that it has changed."
    ),
    "second_backward": (
        "backward() frees what the graph saved as soon as a node has run, so a second pass over the same "
        "nodes finds nothing to compute with."
    ),
    "no_grad_fn": (
        "The history ends here: a value without a grad_fn comes from detach(), item(), no_grad() or from "
        "tensors that do not require grad, so no pass can start from it."
    ),
    "not_scalar": (
        "backward() starts with 1 only for a single number. For several numbers it needs a weight for each of"
        " them, given as gradient=."
    ),
    "nan": (
        "A branch that was not chosen is still part of the graph, and where its slope is infinite, 0 times "
        "infinity gives NaN."
    ),
    "accumulation": (
        "backward() adds to .grad, it does not replace it. What an earlier pass left there is still in the sum."
    ),
    "memory": (
        "A loss that is kept keeps its whole graph, with every tensor that the graph saved. loss.item() keeps"
        " the number alone."
    ),
    "grad_none": (
        "backward() fills the .grad of leaves alone. A gradient passes through every other tensor and is not "
        "kept, unless retain_grad() was called."
    ),
    "module_hooks": (
        "A hook of a module runs when the module is called, as in model(x). Calling model.forward(x) skips it."
    ),
    "create_graph": (
        "A gradient has a graph of its own only with create_graph=True. Without it, it cannot be differentiated again."
    ),
    "detach": "detach() cuts the history: the gradient stops at the cut, and what lies behind it gets none.",
    "ties": (
        "At a kink or a tie there is no single slope, so PyTorch chooses one: relu gives 0 at 0, and max() "
        "divides the gradient among equal values."
    ),
    "complex": (
        "For complex numbers PyTorch returns the conjugate of the derivative, so that a step against it makes"
        " a real loss smaller."
    ),
    "checkpoint": (
        "Inside a checkpoint nothing is saved: the backward pass runs the function again to get what it needs."
    ),
    "broadcasting": (
        "A value that was broadcast was used once for each copy, so its gradient is the sum over all copies."
    ),
}
"""The sentence about each confusion that a reader gets where a lesson has none of its own."""
