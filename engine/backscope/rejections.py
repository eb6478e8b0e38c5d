"""Why an op rejected what it was given: what that was, read from the frames that the error came through."""

from __future__ import annotations

import re
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from backscope.events import Diagnosis
from backscope.tensor import Tensor

if TYPE_CHECKING:
    from backscope.recorder import Recorder

_ENGINE = str(Path(__file__).parent)
_KINDS = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)
MOST = 4
"""Tensors that are named."""
LONGEST = 300
"""Characters of a message that are repeated."""


class Rejection(NamedTuple):
    """A pattern of the engine's own message, and what is said of it.

    `{given}` stands for the tensors that the op got with their shapes, `{types}` for them with their dtypes, `{0}` and
    so on for what the pattern found.
    """

    pattern: str
    cause: str
    fix: str
    wrong_fix: str | None = None


REJECTIONS = (
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
        r"expected target dtype to be Long or Byte, but got (\w+)",
        "A target of classes holds whole numbers, the class of each example; {0} was given. {types}.",
        "target.long() for classes. Where each class has a probability, give the target the shape of the input.",
        "Converting the input in its place takes the loss its gradient: whole numbers have none.",
    ),
    Rejection(
        r"Target (-?\d+) is out of bounds",
        "There is no class {0}: classes count from 0, and there are as many as the input has along dim 1. {given}.",
        "Count classes from 0, and let the last layer give one number for each class.",
        "clamp() on the target makes the error go away and teaches wrong classes.",
    ),
    Rejection(
        r"(0D or 1D target tensor expected|Expected input batch_size .* to match target batch_size)",
        "A target of classes has one number for each example, the class, and no dim for classes. {given}.",
        "target.squeeze(1) where it has a dim of 1 too many, target.argmax(1) where it is one-hot.",
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
        r"(index out of range in self|index (-?\d+) is out of bounds for dim|Dimension out of range)",
        "Counting starts at 0, and the largest index is one less than the length. {given}.",
        "Print the largest index with .max(), and the length; an embedding has num_embeddings rows, from 0 on.",
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


def rejected(error: BaseException, recorder: Recorder, line: int | None) -> Diagnosis | None:
    """The diagnosis of an error that the engine raised about what it was given; None for the program's own."""
    if not isinstance(error, _KINDS):
        return None
    frames = _engine_frames(error)
    if not frames:
        return None
    tensors = _arguments(frames)
    said = str(error)
    for rule in REJECTIONS:
        found = re.search(rule.pattern, said)
        if found is not None:
            words = {"given": _shapes(recorder, tensors), "types": _types(recorder, tensors)}
            cause = rule.cause.format(*(found.groups() or ()), **words).removesuffix(" .")
            return _diagnosis(recorder, line, tensors, cause, rule.fix, rule.wrong_fix)
    if not tensors or type(error) is TypeError:
        return None
    first = " ".join(said.split()).rstrip(".")
    first = first if len(first) <= LONGEST else f"{first[:LONGEST]} ..."
    return _diagnosis(
        recorder,
        line,
        tensors,
        f"{first[:1].upper()}{first[1:]}. {_shapes(recorder, tensors)}.",
        "Look at the shape and the dtype of what goes in at this line, and where it was made.",
        None,
    )


def _diagnosis(
    recorder: Recorder, line: int | None, tensors: list[Tensor], cause: str, fix: str, wrong_fix: str | None
) -> Diagnosis:
    born = [recorder.born_at(tensor) for tensor in tensors]
    return Diagnosis(
        cause=cause,
        fix=fix,
        wrong_fix=wrong_fix,
        lines=[x for x in dict.fromkeys([*born, line]) if x is not None],
        nodes=[],
        tensors=[tensor._token.tensor for tensor in tensors if tensor._token is not None],
    )


def _engine_frames(error: BaseException) -> list[FrameType]:
    """The engine's frames that an error was raised in, outermost first; none where the program raised it."""
    frames: list[FrameType] = []
    found = error.__traceback__
    while found is not None:
        frame = found.tb_frame
        if frame.f_code.co_filename.startswith(_ENGINE):
            frames.append(frame)
        else:
            frames.clear()
        found = found.tb_next
    return frames


def _arguments(frames: list[FrameType]) -> list[Tensor]:
    """The tensors that a call was given: of the outermost of those that were given most."""
    best: list[Tensor] = []
    for frame in frames:
        code = frame.f_code
        found: dict[int, Any] = {}
        extra = bool(code.co_flags & 4) + bool(code.co_flags & 8)
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]:
            value = frame.f_locals.get(name)
            parts = (
                value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
            )
            found.update({id(one): one for one in parts if issubclass(type(one), Tensor)})
        if len(found) > len(best):
            best = list(found.values())
    return best[:MOST]


def _name(recorder: Recorder, tensor: Tensor, otherwise: str) -> str:
    token = tensor._token
    name = None if token is None else recorder.names.get(token.tensor)
    made = recorder.born_at(tensor)
    return f"{name or otherwise}{'' if made is None else f' (line {made})'}"


def _shapes(recorder: Recorder, tensors: list[Tensor]) -> str:
    parts = [f"{_name(recorder, one, _place(i, tensors))} has shape {list(one.shape)}" for i, one in enumerate(tensors)]
    return _listed(parts)


def _types(recorder: Recorder, tensors: list[Tensor]) -> str:
    parts = [
        f"{_name(recorder, one, _place(i, tensors))} holds {str(one.dtype).removeprefix('torch.')} numbers"
        for i, one in enumerate(tensors)
    ]
    return _listed(parts)


def _place(index: int, tensors: list[Tensor]) -> str:
    return "it" if len(tensors) == 1 else ("the first", "the second", "the third", "the fourth")[index]


def _listed(parts: list[str]) -> str:
    text = ", ".join(parts)
    return text[:1].upper() + text[1:] if text.startswith(("it ", "the ")) else text
