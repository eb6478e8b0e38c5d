"""The geometry of pooling: the positions of windows over an image, and PyTorch's errors for impossible ones."""

from __future__ import annotations

from dataclasses import dataclass

from backscope.runtime.given import Shape, Value
from backscope.tensor.dtype import dtype

Lengths = tuple[int, ...]

_COUNTS = {2: "two", 3: "three"}
_AXES = {2: ("H", "W"), 3: ("T", "H", "W")}


@dataclass(frozen=True, slots=True)
class Pool:
    """Windows of `kernel` elements, `dilation` apart, every `stride` elements of an image with a frame of `padding`."""

    kernel: Lengths
    stride: Lengths
    padding: Lengths
    dilation: Lengths
    ceil_mode: bool

    def lengths(self, image: Lengths) -> Lengths:
        """Return the number of windows along each dim; RuntimeError for an invalid stride or padding."""
        found = []
        for n, k, s, p, d in zip(image, self.kernel, self.stride, self.padding, self.dilation, strict=True):
            if s == 0:
                raise RuntimeError("stride should not be zero")
            if p < 0:
                raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
            if p > int((d * (k - 1) + 1) / 2):
                raise RuntimeError(
                    "pad should be at most half of effective kernel size, but got "
                    f"pad={p}, kernel_size={k} and dilation={d}"
                )
            count = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if self.ceil_mode else 0)) // s + 1
            if self.ceil_mode and (count - 1) * s >= n + p:
                count -= 1
            found.append(count)
        return tuple(found)

    def check(self, image: Lengths, channels: int) -> Lengths:
        """The geometry of a pool; RuntimeError for windows that can't be."""
        out = self.lengths(image)
        self.check_positive()
        if min(out, default=1) < 1:
            own = "x".join(str(n) for n in (channels, *image))
            made = "x".join(str(n) for n in (channels, *out))
            raise RuntimeError(f"Given input size: ({own}). Calculated output size: ({made}). Output size is too small")
        return out

    def check_positive(self) -> None:
        """Raise RuntimeError for a kernel, a stride or a dilation that is not above 0."""
        self._check_each("kernel size", self.kernel, "k")
        self._check_each("stride", self.stride, "d")
        self._check_each("dilation", self.dilation, "dilation")

    def _check_each(self, what: str, lengths: Lengths, short: str) -> None:
        if min(lengths) <= 0:
            each = " ".join(f"{short}{a}: {n}" for a, n in zip(_AXES[len(lengths)], lengths, strict=True))
            raise RuntimeError(f"{what} should be greater than zero, but got {each}")


def one_length(name: str, parameter: str, value: Value, refusal: str) -> int:
    """Return a number, or the only element of a sequence; RuntimeError with `refusal` and the length otherwise."""
    if isinstance(value, (tuple, list)):
        if len(value) != 1:
            raise RuntimeError(refusal.format(len(value)))
        return int(value[0])
    found: int = lengths_of(name, parameter, value, 1)[0]
    return found


def lengths_of(
    name: str, parameter: str, value: Value, dims: int, *, optional: bool = False, strict: bool = True
) -> Shape:
    """Return a length per dim, given one for all or one for each; TypeError and RuntimeError for anything else."""
    if value.__class__ is int:
        return (value,) * dims
    if isinstance(value, bool) or (not isinstance(value, (int, tuple, list)) and not hasattr(value, "__index__")):
        position = {"kernel_size": 2, "stride": 3, "padding": 4, "dilation": 5}[parameter]
        raise TypeError(
            f"{name}(): argument '{parameter}' (position {position}) must be tuple of ints, not {type(value).__name__}"
        )
    found = tuple(int(v) for v in value) if isinstance(value, (tuple, list)) else (int(value),) * dims
    if len(found) == 1:
        return found * dims
    if len(found) != dims and not (optional and not found):
        must = "must be either" if parameter == "dilation" else "must either be" if strict else "must be"
        omitted = "omitted, " if optional else ""
        raise RuntimeError(f"{name}: {parameter} {must} {omitted}a single int, or a tuple of {_COUNTS[dims]} ints")
    return found


def check_image(shape: Lengths, dims: int) -> None:
    """Raise RuntimeError for anything but an image, or a batch of images, that is not empty."""
    batched = len(shape) == dims + 2
    inner = shape[1:] if batched else shape
    if len(shape) not in (dims + 1, dims + 2) or 0 in inner:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )


def check_line(name: str, ndim: int) -> None:
    """Raise RuntimeError for anything but lines, or a batch of lines."""
    if ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )


def check_volume(name: str, shape: Lengths) -> None:
    """Raise RuntimeError for a volume, or a batch of volumes, without elements."""
    if 0 in shape[-4:]:
        raise RuntimeError(
            f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(shape)} and non-batch dimension 0 has length zero!"
        )


def check_kind(name: str, kind: dtype, *, integers: bool) -> None:
    """Raise NotImplementedError for a dtype that a kernel does not have."""
    if kind.name == "bool" or kind.is_complex or (kind.category < 2 and not integers):
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind.type_name}'")
