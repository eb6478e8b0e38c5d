"""Short-time Fourier transforms, and signals put together from them."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.broadcasting import type_string
from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, functional, torch_functions as f
from backscope.ops.fft.fourier import NONE, ROOT, WHOLE
from backscope.ops.layers.padding import constant_pad
from backscope.runtime.given import Option, Value
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
    "windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress "
    "this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
_NO_WINDOW_BACK = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to "
    "make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
    "`window=torch.ones(n_fft, device=<device>)`."
)
_PAIRS = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the "
    "complex output to recover the old return format."
)
_SHORT = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please "
    "check your center and hop_length settings."
)
_COMPLEX_WINDOW = "Cannot have onesided output if window or input is complex"


def _shown(value: Value) -> str:
    if isinstance(value, Tensor):
        return f"{type_string(value)}{{{list(value._data.shape)}}}"
    return str(int(value)) if isinstance(value, bool) else str(value)


def _described(name: str, input: Tensor, **arguments: Any) -> str:  # noqa: A002
    title = [f"{k}={_shown(v)}" for k, v in arguments.items()]
    return f"{name}({', '.join([f'{type_string(input)}{list(input._data.shape)}', *title])}) "


@export()
def stft(
    input: Tensor,  # noqa: A002
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Value:
    """The transforms of overlapping pieces of a signal, each times a window: frequencies by frames."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    x: Any = input
    if center:
        side = n_fft // 2
        wide = x.view([1] * (3 - x.ndim) + list(x.shape))
        wide = functional["pad"](wide, [side, side], pad_mode)
        x = wide.view(wide.shape[-x.ndim :])
    hop = n_fft >> 2 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    is_complex = x.is_complex() or (window is not None and window._dtype.is_complex)
    if window is None:
        warn_once(_NO_WINDOW)
    if not (is_complex if return_complex is None else return_complex):
        if return_complex is None:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        warn_once(_PAIRS)
    _check_signal(x, n_fft, hop, length, window, normalized, onesided, return_complex, align_to_window)
    signal = x.unsqueeze(0) if x.ndim == 1 else x
    left = (n_fft - length) // 2
    if not center and align_to_window:
        signal = constant_pad(signal, (left, n_fft - length - left))
    kernel: Any = window
    if length < n_fft:
        kernel = f["ones"](length, dtype=signal.dtype) if window is None else window
        kernel = constant_pad(kernel, (left, n_fft - length - left))
    frames = 1 + (signal.shape[1] - n_fft) // hop
    steps = signal.stride(0), hop * signal.stride(1), signal.stride(1)
    pieces = signal.as_strided((signal.shape[0], frames, n_fft), steps)
    if kernel is not None:
        pieces = pieces.mul(kernel)
    half = not pieces.is_complex() if onesided is None else onesided
    if pieces.is_complex() and half:
        raise RuntimeError(_COMPLEX_WINDOW)
    norm = ROOT if normalized else NONE
    last = (True,) if pieces.is_complex() else (half,)
    out = apply(primitives["fft_c2c" if pieces.is_complex() else "fft_r2c"], pieces, (2,), norm, *last)
    out.transpose_(1, 2)
    if x.ndim == 1:
        out.squeeze_(0)
    return out if (is_complex if return_complex is None else return_complex) else f["view_as_real"](out)


def _check_signal(
    x: Value,
    n_fft: int,
    hop: int,
    length: int,
    window: Value,
    normalized: Option,
    onesided: Option,
    as_complex: Any,
    align: Any,
) -> None:
    title = _described(
        "stft", x, n_fft=n_fft, hop_length=hop, win_length=length, window=window, normalized=normalized,
        onesided=onesided, return_complex=as_complex, align_to_window=align,
    )  # fmt: skip
    if not x.is_floating_point() and not x.is_complex():
        raise RuntimeError(f"{title}: expected a tensor of floating point or complex values")
    if x.ndim not in (1, 2):
        raise RuntimeError(f"{title}: expected a 1D or 2D tensor")
    if not 0 < n_fft <= x.shape[-1]:
        raise RuntimeError(f"{title}: expected 0 < n_fft < {x.shape[-1]}, but got n_fft={length}")
    if hop <= 0:
        raise RuntimeError(f"{title}: expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{title}: expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and tuple(window.shape) != (length,):
        raise RuntimeError(
            f"{title}: expected a 1D window tensor of size equal to win_length={length}, but got window with size "
            f"{list(window.shape)}"
        )


@export()
def istft(
    input: Tensor,  # noqa: A002
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Value:
    """Return the signal with short-time transforms nearest to the given ones."""
    if window is None:
        warn_once(_NO_WINDOW_BACK)
    hop = n_fft >> 2 if hop_length is None else hop_length
    window_length = n_fft if win_length is None else win_length
    if not input._dtype.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    title = _described(
        "istft", input, n_fft=n_fft, hop_length=hop, win_length=window_length, window=window, center=center,
        normalized=normalized, onesided=onesided, length=length, return_complex=return_complex,
    )  # fmt: skip
    half = _check_frames(input, title, n_fft, hop, window_length, window, onesided)
    x: Any = input.unsqueeze(0) if input._data.ndim == 2 else input  # type: ignore[attr-defined]
    frames, whole = x.shape[-1], n_fft + hop * (x.shape[-1] - 1)
    kernel: Any = f["ones"](window_length, dtype=x.real.dtype) if window is None else window
    if window_length != n_fft:
        left = (n_fft - window_length) // 2
        kernel = constant_pad(kernel, (left, n_fft - window_length - left))
    x = x.transpose(1, 2)
    norm = ROOT if normalized else WHOLE
    if return_complex:
        if half:
            raise RuntimeError(_COMPLEX_WINDOW)
        x = apply(primitives["fft_c2c"], x, (2,), norm, False)
    else:
        if window is not None and window._dtype.is_complex:
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        x = apply(primitives["fft_c2r"], x if half else x[..., : n_fft // 2 + 1], (2,), norm, n_fft)
    y = apply(primitives["unfold_backward"], x * kernel.view(1, 1, n_fft), (x.shape[0], whole), 1, n_fft, hop)
    envelope = kernel.pow(2).expand(1, frames, n_fft)
    envelope = apply(primitives["unfold_backward"], envelope, (1, whole), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -(n_fft // 2) if center else whole
    y, envelope = y[:, start:end], envelope[:, start:end]
    if bool(envelope.abs().min() < 1e-11):
        raise RuntimeError(f"{title}window overlap add min: 1\n[ CPUBoolType{{}} ]")
    y = y / envelope
    y = y.squeeze(0) if input._data.ndim == 2 else y
    if end > whole:
        warn_once(_SHORT)
        y = constant_pad(y, (0, end - whole))
    return y


def _check_frames(
    input: Tensor,  # noqa: A002
    title: str,
    n_fft: int,
    hop: int,
    length: int,
    window: Value,
    onesided: Option,
) -> bool:
    """Check that frames, window and lengths fit; return True where only half of the frequencies are given.

    Raises: RuntimeError where they don't fit.
    """
    shape = input._data.shape
    if not input._data.size:
        raise RuntimeError(f"{title}: input tensor cannot be empty.")
    if len(shape) not in (2, 3):
        raise RuntimeError(f"{title}: expected a tensor with 3 or 4 dimensions, but got {len(shape) + 1}")
    half = shape[-2] != n_fft if onesided is None else bool(onesided)
    if half and n_fft // 2 + 1 != shape[-2]:
        raise RuntimeError(
            f"{title}: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 "
            f"when onesided=True, but got {shape[-2]}"
        )
    if not half and n_fft != shape[-2]:
        raise RuntimeError(
            f"{title}: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
            f"onesided=False, but got {shape[-2]}"
        )
    if not 0 < hop <= length:
        raise RuntimeError(f"{title}: expected 0 < hop_length <= win_length")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{title}: expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (length,):
        raise RuntimeError(f"{title}: Invalid window shape. window has to be 1D and length of `win_length`")
    return half
