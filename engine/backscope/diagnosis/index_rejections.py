"""The rules for indices, targets, lengths and sizes that do not fit: which element is wrong, and what fits."""

from __future__ import annotations

from backscope.diagnosis.rejection_rules import Rejection, Shapes

Found = tuple["str | None", ...]


def _rows(found: Found, shapes: Shapes) -> int | None:
    """Return the last row of the tensor that is indexed along dim 0."""
    weight = shapes.get("weight")
    return weight[0] - 1 if weight else None


def _unknown(found: Found, shapes: Shapes) -> int | None:
    """Return None: the message and the shapes do not limit the elements."""
    return None


_WHOLE = (
    "An index counts, so it has to be whole numbers (int64), and here it is not. {types}.",
    "Make it whole: index.long(), or dtype=torch.long where it is made. Where it came out of a computation, look at "
    "whether it was meant as an index at all: the arguments may be the wrong way around.",
    "requires_grad on an index can't work: whole numbers have no derivative.",
)
_CLAMP = "clamp() on the index makes the error go away and reads other elements than you mean."

INDEX_REJECTIONS = (
    Rejection(
        r"^index out of range in self",
        "Counting starts at 0, and the largest index is one less than the length: {outside}. {given}.",
        "Number the indices from 0, or make what is looked up longer: an embedding has num_embeddings rows, one for "
        "each token of the vocabulary and the special ones. Padding is an index like any other: padding_idx=0, not -1.",
        _CLAMP,
        highest=_rows,
    ),
    Rejection(
        r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)",
        "Counting starts at 0, and the largest index is one less than the length: {outside}, and dim {1} has {2} "
        "elements. {given}.",
        "Number the indices from 0, look along the other dim (dim=), or make that dim longer.",
        _CLAMP,
        element=0,
    ),
    Rejection(
        r"tried to access index (-?\d+) on a tensor of (\d+) elements",
        "{outside}: take() counts through all {1} elements, from 0. {given}.",
        "Number the indices from 0; to choose along one dim take index_select() or gather().",
        _CLAMP,
        element=0,
    ),
    Rejection(
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
        "There is no dim {2}: dims count from 0 or, from the last, from -1, so that they go from {0} to {1} here. "
        "{given}.",
        "Take a dim from {0} to {1}, or add one with unsqueeze() where one is missing.",
    ),
    Rejection(
        r"too many indices for tensor of dimension (\d+)",
        "There are more indices than the {0} dims of the tensor. {given}.",
        "Leave the indices out that are too many, or look at where a dim was lost: squeeze(), a sum, one index before.",
    ),
    Rejection(
        r"(Expected dtype int32(?:/| or )int64 for index|tensors used as indices must be long"
        r"|Expected tensor for argument #1 'indices' to have one of the following scalar types)",
        *_WHOLE,
    ),
    Rejection(
        r"(Index tensor must have the same number of dimensions as (?:input|self|src) tensor)",
        "gather() and scatter() take an index with as many dims as the tensor: its shape is the shape of the result, "
        "element by element. {given}.",
        "Add the dim that is missing: index.unsqueeze(1) for one element of each row, and .squeeze(1) on the result.",
        "expand() to the shape of the input runs, and reads the same element once for each column.",
    ),
    Rejection(
        r"Size does not match at dimension (\d+) expected index \[(.*)\] to be no larger than self \[(.*)\] apart from "
        r"dimension (\d+)",
        "The index of shape [{1}] is longer along dim {0} than the tensor of shape [{2}]: only along dim {3}, which is "
        "gathered, may it be. {given}.",
        "Look along the other dim, or cut the index: apart from dim {3} it has at most an element for each row of the "
        "tensor. index_select() takes whole rows by a plain list of indices.",
    ),
    Rejection(
        r"Expected index \[(.*)\] to be (?:no larger|smaller) than self \[(.*)\] apart from dimension (\d+) and to be "
        r"(?:no larger size|smaller size) than src \[(.*)\]",
        "Each element of the index of shape [{0}] takes an element of src at the same place, so that src must not be "
        "smaller along any dim, and apart from dim {2} the result of shape [{1}] must not be either. {given}.",
        "Give src an element for each index, or cut the index to the shape of src: index[:, :n].",
    ),
    Rejection(
        r"(?:scatter|gather|index_add|index_copy|index_fill)\w*\(\): (?:Expected )?self(?:\.dtype)? .*(?:equal|same)",
        "What is written has to be of the dtype of what it is written to: nothing is converted here. {types}.",
        "Convert what is written: src.to(x.dtype).",
    ),
    Rejection(
        r"index_add_?\(\): Number of indices \((\d+)\) should be equal to source.size\(dim\): \((\d+)\), for dim: "
        r"(\d+)",
        "There are {0} indices for the {1} slices of source along dim {2}: each slice goes to one place. {given}.",
        "Give an index for each slice of source, or cut source along dim {2}: the first {0} are "
        "source.narrow({2}, 0, {0}).",
    ),
    Rejection(
        r"source tensor shape must match self tensor shape, excluding the specified dimension\. Got self\.shape = "
        r"\[(.*)\] source\.shape = \[(.*)\]",
        "The slices of source, of shape [{1}], have another shape than those of the tensor, of shape [{0}]: apart from "
        "the dim that is indexed they have to be alike. {given}.",
        "Transpose or cut source so that its slices fit, or choose the other dim.",
    ),
    Rejection(
        r"index_(?:select|add|copy|fill)\w*\(\): Index is supposed to be a vector",
        "The index has to be a plain list of places, with one dim. {given}.",
        "index.flatten() for a list. gather() takes one element for each place of an index with more dims, x[index] "
        "whole rows.",
    ),
    Rejection(
        r"The shape of the mask \[(.*)\] at index (\d+) does not match the shape of the indexed tensor \[(.*)\]",
        "A mask says of each element or row whether it is taken: its shape [{0}] has to begin the shape [{2}]. "
        "{given}.",
        "Compute the mask from the tensor itself, as x > 0, or from its rows: x.sum(1) > 0.",
    ),
    Rejection(
        r"output with shape \[(.*)\] doesn't match the broadcast shape \[(.*)\]",
        "An op in place can't make the tensor larger that it changes: it has shape [{0}], and the result has [{1}]. "
        "{given}. Inside vmap a batch counts as a dim more.",
        "Write the result to a new tensor, x = x + y in place of x += y; or reduce the other one to that shape first.",
    ),
    Rejection(
        r"shape mismatch: indexing tensors could not be broadcast together with shapes (.*)",
        "Several indices at once are read in pairs, so that they need the same length: {0}. {given}.",
        "Make them alike; for each row of the one with each of the other write x[rows[:, None], columns].",
    ),
    Rejection(
        r"expected target dtype to be Long or Byte, but got (\w+)",
        "A target of classes holds whole numbers (int64), the class of each example; {0} was given. {types}.",
        "target.long() for classes. Where each class has a probability, give the target the shape of the input.",
        "Converting the input in its place takes the loss its gradient: whole numbers have none.",
    ),
    Rejection(
        r"Target (-?\d+) is out of bounds",
        "There is no class {0}, and {outside}: classes count from 0, and there are as many as the input has along "
        "dim 1. {given}.",
        "Count classes from 0, and let the last layer give one number for each class. Targets that do not count get "
        "ignore_index, which is -100 unless it is given.",
        "clamp() on the target makes the error go away and teaches wrong classes.",
        element=0,
    ),
    Rejection(
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        "There are {0} examples and {1} targets: each example has one class. {given}.",
        "Look at where examples were lost or doubled: a flatten() that took the batch along, a last batch that is "
        "shorter. For sequences flatten both: input.flatten(0, 1), target.flatten().",
    ),
    Rejection(
        r"0D or 1D target tensor expected",
        "A target of classes has one number for each example, the class, and no dim for classes; a target of "
        "probabilities has the shape of the input. {given}.",
        "target.squeeze(1) where it has a dim of 1 too many, target.argmax(1) where it is one-hot.",
    ),
    Rejection(
        r"Expected target size \[(.*)\], got \[(.*)\]",
        "The classes of the input have to lie along dim 1: from its shape a target of [{0}] follows, and the target "
        "has [{1}]. {given}.",
        "Put the classes there: input.transpose(1, 2) for [batch, seq, classes]; or flatten both, input.flatten(0, 1) "
        "and target.flatten().",
        "view() or reshape() to that shape makes the numbers fit and mixes classes with positions.",
    ),
    Rejection(
        r"weight tensor should be defined either for all (\d+) classes or no classes but got weight tensor of shape: "
        r"\[(.*)\]",
        "weight= has one number for each of the {0} classes, and it has {1}. {given}.",
        "Give it {0} numbers, one for each class of the input along dim 1.",
    ),
    Rejection(
        r"(?:Using a target size|Target size) \(torch\.Size\((.*?)\)\) .* input size \(torch\.Size\((.*?)\)\)",
        "Each element of the input, of shape {1}, needs a target, and the target has shape {0}. {given}.",
        "Bring them to the same shape: input.squeeze(1) where the last layer gives one number for each example, or "
        "target.unsqueeze(1).",
        "Broadcasting them by hand compares each example with the targets of all others.",
    ),
    Rejection(
        r"Found dtype (\w+) but expected (\w+)",
        "The loss compares numbers of one kind: {1} was wanted and {0} came. {types}.",
        "target.float() for targets of 0 and 1, which are whole numbers where they come as labels.",
    ),
    Rejection(
        r"Expected input_lengths to have value at most (\d+), but got value (\d+)",
        "{outside}: log_probs has {0} time steps along dim 0, and no sequence can be longer. {given}.",
        "Let input_lengths count the steps of log_probs, after what the network took away (strides, poolings); dims "
        "are [time, batch, classes].",
        element=1,
    ),
    Rejection(
        r"Expected tensor to have size at least (\d+) at dimension 1, but got size (\d+) for argument #2 'targets'",
        "A target length of {0} is longer than the targets, which have {1} columns. {given}.",
        "Let target_lengths count the labels of each row of targets, without the padding.",
    ),
    Rejection(
        r"(input_lengths|target_lengths) must be of size batch_size",
        "{0} has one number for each sequence of the batch, which is dim 1 of log_probs: [time, batch, classes]. "
        "{given}.",
        "Give a length for each sequence; where the batch comes first, log_probs.transpose(0, 1).",
    ),
    Rejection(
        r"`lengths` array must be sorted in decreasing order",
        "pack_padded_sequence() wants the longest sequence first, unless enforce_sorted=False is given. {given}.",
        "Pass enforce_sorted=False: it sorts them and puts them back where they are unpacked.",
        "Sorting the lengths alone cuts the sequences at the wrong places: each length belongs to its sequence.",
    ),
    Rejection(
        r"Length of all samples has to be greater than 0",
        "A sequence of length 0 can't be packed. {given}.",
        "Leave empty sequences out of the batch, or give them length 1 and one step of padding.",
    ),
    Rejection(
        r"Expected `len\(lengths\)` to be equal to batch_size, but got (\d+) \(batch_size=(\d+)\)",
        "There are {0} lengths for a batch of {1}: without batch_first=True the batch is dim 1. {given}.",
        "Pass batch_first=True where the batch comes first, or a length for each sequence.",
    ),
    Rejection(
        r"Expected sequence length to be larger than or equal to (\d+), but got (\d+)",
        "A length of {0} is longer than the {1} steps of the input. {given}.",
        "Let lengths count the steps of each sequence, {1} at most; pass batch_first=True where the batch comes first.",
    ),
    Rejection(
        r"start \((-?\d+)\) \+ length \((\d+)\) exceeds dimension size \((\d+)\)",
        "narrow() from {0} on takes {1} elements, and the dim has {2}. {given}.",
        "The length that is left is x.size(dim) - {0}; a slice, x[..., {0}:], takes what there is.",
    ),
    Rejection(
        r"split_with_sizes expects split_sizes to sum exactly to (\d+) \(input tensor's size at dimension (-?\d+)\), "
        r"but got split_sizes=\[(.*)\]",
        "The parts [{2}] do not make up the {0} elements of dim {1}. {given}.",
        "Give sizes whose sum is {0}; split(n) with one number cuts parts of n, the last of which may be shorter.",
    ),
    Rejection(
        r"Class values must be smaller than num_classes",
        "{outside}: classes count from 0, so that the largest is num_classes - 1. {given}.",
        "Make num_classes the largest class + 1, or leave it out; number the classes from 0.",
        "clamp() on the classes makes the error go away and marks wrong ones.",
        highest=_unknown,
    ),
    Rejection(
        r"Class values must be non-negative",
        "{outside}: one_hot() has a column for each class from 0 on, and none for what is to be ignored. {given}.",
        "Take those out first: one_hot(labels.clamp(min=0)) * (labels >= 0).unsqueeze(-1) gives them a row of zeros.",
    ),
    Rejection(
        r"one_hot is only applicable to index tensor of type LongTensor",
        "one_hot() counts classes, so it takes whole numbers (int64). {types}.",
        "labels.long() first.",
    ),
    Rejection(
        r"bincount only supports 1-d non-negative integral inputs",
        "bincount() counts how often each number from 0 on comes, in one list of whole numbers. {outside}. {given}.",
        "labels.flatten() for one list; take out what is negative, labels[labels >= 0], or number from 0.",
    ),
    Rejection(
        r'"bincount_cpu" not implemented',
        "bincount() counts how often each number from 0 on comes, so it takes whole numbers. {types}.",
        "labels.long() first; for real numbers take torch.histc().",
    ),
    Rejection(
        r"weights should be 1-d and have the same length as input",
        "bincount() takes one weight for each number that is counted. {given}.",
        "Give weights= the length of the input.",
    ),
)
