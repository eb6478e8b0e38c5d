"""The rules for ops that rejected their arguments: cause, fix, and the fix that does not help."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Shapes: TypeAlias = "dict[str, tuple[int, ...]]"
Limit: TypeAlias = "Callable[[tuple[str | None, ...], Shapes], int | None]"
"""Returns the largest element that is allowed, from the groups of the pattern and the shapes of the arguments by role.

None where it is not known: then the largest element is taken for the wrong one, unless one is negative.
"""


class Rejection(NamedTuple):
    """A pattern of an engine's error message, and the sentences that explain it.

    `{given}` is replaced by the tensors that the op got and their shapes, `{types}` by them and their dtypes, `{text}`
    by the line of the program, `{0}` and so on by the groups of the pattern.  `{outside}` is the element of an index or
    a target that is wrong, as "target[1] is 5": the one that the message names, in group `element` of the pattern, or
    else the first that is negative or larger than `highest` says.
    """

    pattern: str
    cause: str
    fix: str
    wrong_fix: str | None = None
    element: int | None = None
    highest: Limit | None = None


_WHERE = (
    "torch.where(condition, a, b) in place of `if`: both are computed for each example and one is chosen, as in "
    "torch.where(x.norm() > 1, x / x.norm(), x). To raise an error where a value is wrong, check the batch before "
    "vmap."
)

REJECTIONS = (
    Rejection(
        r"^vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow",
        "Inside vmap a tensor stands for all examples of the batch at once, so that `{text}` has as many answers as "
        "there are examples, and Python can go one way only.",
        _WHERE,
        "A loop over the examples in place of vmap works, and gives up what vmap is for; detach() changes nothing.",
    ),
    Rejection(
        r"^vmap: It looks like you're (?:either \(1\) )?calling \.item\(\) on a Tensor",
        "Inside vmap a tensor stands for all examples of the batch at once, so that `{text}` would be a number for "
        "each of them, and item(), float(), int() and `if` want one.",
        "Go on with the tensor in place of the number. " + _WHERE,
        "detach() or .data before it changes nothing: it still is one number for each example.",
    ),
    Rejection(
        r"^vmap: We do not support batching operators that can (?:support|output) dynamic shape",
        "How many elements `{text}` gives depends on the values, and so would differ from example to example: vmap "
        "needs results of one shape.",
        "Keep the shape and set what is not meant to 0: torch.where(mask, x, 0).sum() in place of x[mask].sum().",
    ),
    Rejection(
        r"^vmap: called random operation while in randomness error mode",
        "`{text}` draws random numbers inside vmap, and vmap has to know whether all examples get the same ones.",
        'Pass randomness="different" to vmap for numbers of its own for each example, as dropout needs, or '
        'randomness="same".',
    ),
    Rejection(
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        "Along dim {2} one has {0} elements and the other {1}: lengths that are not 1 have to be the same, counted "
        "from the last dim. {given}.",
        "Bring both to the same shape. A dim of 1 is spread: unsqueeze(dim) or [:, None] says where it is missing.",
        "reshape() makes the numbers fit and pairs others than you mean.",
    ),
    Rejection(
        r"(size mismatch, got|Expected size for first two dimensions of batch2|inconsistent tensor size)",
        "A product needs as many columns on the left as there are rows on the right. {given}.",
        "Transpose the factor that lies the other way around (.T, or .mT for a batch), or make the lengths alike.",
        "reshape() in place of a transposition keeps the numbers in their order and gives another matrix.",
    ),
    Rejection(
        r"(must have the same dtype|expected scalar type|expected m1 and m2 to have the same dtype|should be the same)",
        "An op on several tensors takes numbers of one kind here, and converts none. {types}.",
        "Convert the data, not the parameters: x.float() for numbers from numpy, which are float64, or whole ones.",
        "model.double() makes the error go away and everything take twice the memory.",
    ),
    Rejection(
        r"Only Tensors of floating point and complex dtype can require gradients",
        "Whole numbers and booleans have nothing between them, and so no derivative: a tensor of them can't require "
        "grad.",
        "Make it with a decimal point (torch.tensor([1.0, 2.0], requires_grad=True)) or with dtype=torch.float32.",
        "requires_grad_() on x.float() gives a new tensor: the gradient goes there and not to x.",
    ),
    Rejection(
        r"all elements of (input|target) should be between 0 and 1",
        "binary_cross_entropy takes probabilities; the {0} has numbers outside of 0 to 1. {given}.",
        "For raw scores take binary_cross_entropy_with_logits, which is stable too; a target is 0, 1 or between.",
        "clamp(0, 1) makes the error go away, and what was outside gets no gradient.",
    ),
    Rejection(
        r"view size is not compatible",
        "view() leaves the numbers where they are in memory, and these don't lie in the order that the new shape "
        "needs: a transposition or a slice came before. {given}.",
        "reshape() copies where it has to; contiguous().view() does the same in two steps.",
    ),
    Rejection(
        r"shape '\[(.*)\]' is invalid for input of size (\d+)",
        "The shape [{0}] does not hold {1} numbers. {given}.",
        "Let one dim follow from the others with -1, as in x.reshape(len(x), -1); the first dim mostly is the batch.",
    ),
    Rejection(
        r"(Boolean value of Tensor with more than one value|cannot be converted to Scalar)",
        "`if`, `and`, item() and float() want one number, and this tensor has several. {given}.",
        "Say what is meant: (x > 0).any() or .all(), x.sum(), or x[0]. To choose element by element take torch.where.",
    ),
    Rejection(
        r"(Sizes of tensors must match except in dimension|stack expects each tensor to be equal size)",
        "cat() joins tensors along one dim, and all others have to agree; stack() wants them all alike. {given}.",
        "Pad or cut the shorter ones (torch.nn.functional.pad, pad_sequence), or choose the other dim.",
    ),
    Rejection(
        r"expected input\[.*\] to have (\d+) channels, but got (\d+) channels",
        "The convolution was made for {0} channels, and {1} came: dims are [batch, channels, height, width]. {given}.",
        "Let in_channels be what comes, or permute() images whose channels are last: x.permute(0, 3, 1, 2).",
        "reshape() makes the numbers fit and mixes channels with pixels.",
    ),
    Rejection(
        r"Kernel size can't be greater than actual input size",
        "The image has become smaller than the kernel. {given}.",
        "Take padding, fewer poolings or a larger input.",
    ),
    Rejection(
        r"Expected more than 1 value per channel when training",
        "Batch normalization takes mean and spread over the batch, and one example has no spread. {given}.",
        "Train with larger batches (DataLoader(drop_last=True)), or call model.eval() where nothing is to be learned.",
    ),
    Rejection(
        r"returned an invalid gradient at index (\d+) - got \[(.*)\] but expected shape compatible with \[(.*)\]",
        "backward() returned a gradient of shape [{1}] for input {0} of forward(), which has shape [{2}]: a gradient "
        "has an element for each of its input.",
        "Undo in backward() what forward() did to the shape: sum over what was spread, expand what was summed.",
    ),
    Rejection(
        r"expected Variable or None \(got (.*)\)",
        "backward() of a Function returns tensors, or None; it returned a {0}.",
        "Compute with the gradient that came, as in grad_output * 2, and not with numbers alone.",
    ),
    Rejection(
        r"You must implement either the backward or vjp method",
        "The Function has a forward() and no backward(): there is nothing to compute its gradient with.",
        "Add a static method backward(ctx, grad_output) that returns one gradient for each argument of forward().",
    ),
    Rejection(
        r"Legacy autograd function with non-static forward",
        "forward() and backward() of a Function are static, and the Function is applied, not called.",
        "Put @staticmethod over both, take ctx in place of self, and write F.apply(x) in place of F()(x).",
    ),
    Rejection(
        r"save_for_backward can only save variables, but argument (\d+) is of type (\w+)",
        "save_for_backward() is for tensors, whose versions it checks; argument {0} is of type {1}.",
        "Keep everything else as an attribute: ctx.k = k.",
        "Tensors kept as attributes are not checked for in-place changes.",
    ),
    Rejection(
        r"hook '(.*)' has changed the (size|type) of value",
        "A hook replaces a gradient by one of the same {1}, or returns None to leave it as it is; {0} gave another.",
        "Reduce for printing only, and return the gradient itself or nothing.",
    ),
    Rejection(
        r"optimizer got an empty parameter list",
        "The optimizer was given nothing to change: model.parameters() was used up already, or the model has none.",
        "Make layers attributes of the module; a plain list hides them, nn.ModuleList does not. A generator runs once: "
        "list(model.parameters()).",
    ),
    Rejection(
        r"more than one element of the written-to tensor refers to a single memory location",
        "expand() repeats numbers without a copy: several elements are the same place in memory, and a change of one "
        "would change all. {given}.",
        "clone() it before it is changed.",
    ),
    Rejection(
        r"Jacobian mismatch",
        "The gradient that backward() computes is not what differences of the forward values give.",
        "Look at the two matrices: where they differ by a factor, backward() lacks it; where by a transposition, the "
        "product is the wrong way around. Inputs are to be float64, and away from kinks.",
        "A larger atol or eps makes the error go away and keeps the wrong gradient.",
    ),
)
