"""Pictures of a step, and films of a range of steps, as files hold them."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from backscope.pictures.drawing import Drawn, PictureError, Source, Theme, draw
from backscope.pictures.raster import needed, pixels

Speed = Literal["reading", "normal", "fast"]

_PNG_RATIO = 2
"""The pixels of a PNG for each of the page's, as in the page's own export."""

_COLOURS = 255
_BITS_PER_SECOND = 6_000_000
_KEY_FRAME_EVERY = 100


def picture_of_step(
    recording: Source,
    *,
    step: int | None = None,
    theme: Theme = "light",
    width: int | None = None,
    caption: bool = True,
    ratio: int = 1,
    fonts: bool = True,
) -> Drawn:
    """Draw a step as SVG, 1 for the first, None for the one before the first backward pass; with its size and caption.

    `width` is in pixels; without it, `ratio` says how many there are for each of the page's. With `fonts`, the SVG
    brings its fonts along.

    Raises: PictureError, OSError where the recording cannot be read.
    """
    wanted = {"film": False, "step": step, "theme": theme, "width": width, "ratio": ratio, "captioned": caption}
    for drawn in draw(recording, {**wanted, "fonts": fonts}):
        return drawn
    raise PictureError("Node drew no picture.")


def svg(
    recording: Source,
    *,
    step: int | None = None,
    theme: Theme = "light",
    width: int | None = None,
    caption: bool = True,
    fonts: bool = True,
) -> str:
    """Return the picture of a step as SVG; the arguments are those of `picture_of_step`.

    Raises: PictureError, OSError where the recording cannot be read.
    """
    return picture_of_step(recording, step=step, theme=theme, width=width, caption=caption, fonts=fonts).svg


class Png(NamedTuple):
    """A picture of a step as PNG, and its caption."""

    content: bytes
    caption: str


def png_of_step(
    recording: Source,
    *,
    step: int | None = None,
    theme: Theme = "light",
    width: int | None = None,
    caption: bool = True,
) -> Png:
    """Draw a step as PNG; the arguments are those of `picture_of_step`.

    Raises: PictureError, OSError where the recording cannot be read.
    """
    needed("resvg_py", "A picture in pixels")
    drawn = picture_of_step(
        recording, step=step, theme=theme, width=width, caption=caption, ratio=_PNG_RATIO, fonts=False
    )
    return Png(pixels(drawn), drawn.caption)


def png(
    recording: Source,
    *,
    step: int | None = None,
    theme: Theme = "light",
    width: int | None = None,
    caption: bool = True,
) -> bytes:
    """Return the picture of a step as PNG; the arguments are those of `picture_of_step`.

    Raises: PictureError, OSError where the recording cannot be read.
    """
    return png_of_step(recording, step=step, theme=theme, width=width, caption=caption).content


def page_width(png: bytes) -> int:
    """Return how many of the page's pixels a PNG without a `width` of its own is wide; its first 20 bytes suffice."""
    return int.from_bytes(png[16:20]) // _PNG_RATIO


def gif(
    recording: Source,
    first: int,
    last: int,
    *,
    theme: Theme = "light",
    width: int | None = None,
    speed: Speed = "normal",
) -> bytes:
    """Return a film of the steps `first` to `last` as GIF, which plays for ever.

    Raises: PictureError, OSError where the recording cannot be read.
    """
    image = needed("PIL.Image", "A GIF")
    shots = [
        (image.open(io.BytesIO(pixels(drawn))).convert("RGB"), drawn.duration_ms)
        for drawn in _film(recording, first, last, theme=theme, width=width, speed=speed)
    ]
    # One palette for all, of pictures from its whole length, so that no colour flickers.
    samples = [shots[round(share * (len(shots) - 1) / 4)][0] for share in range(5)]
    strip = image.new("RGB", (samples[0].width, samples[0].height * len(samples)))
    for at, sample in enumerate(samples):
        strip.paste(sample, (0, at * sample.height))
    palette = strip.quantize(_COLOURS, dither=image.Dither.NONE)
    frames = [shot.quantize(palette=palette, dither=image.Dither.NONE) for shot, _ in shots]
    file = io.BytesIO()
    durations = _in_hundredths([duration for _, duration in shots])
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, disposal=1)
    return file.getvalue()


def webm(
    recording: Source,
    first: int,
    last: int,
    *,
    theme: Theme = "light",
    width: int | None = None,
    speed: Speed = "normal",
) -> bytes:
    """Return a film of the steps `first` to `last` as WebM.

    Raises: PictureError, OSError where the recording cannot be read.
    """
    av, image = needed("av", "A WebM film"), needed("PIL.Image", "A WebM film")
    file = io.BytesIO()
    at = 0.0
    with av.open(file, "w", format="webm") as output:
        stream: Any = None
        frame: Any = None
        for drawn in _film(recording, first, last, theme=theme, width=width, speed=speed):
            if stream is None:
                stream = output.add_stream("libvpx", rate=1000)
                stream.width, stream.height, stream.pix_fmt = drawn.width, drawn.height, "yuv420p"
                stream.bit_rate = _BITS_PER_SECOND
                stream.codec_context.time_base = Fraction(1, 1000)
                stream.codec_context.gop_size = _KEY_FRAME_EVERY
            frame = av.VideoFrame.from_image(image.open(io.BytesIO(pixels(drawn))).convert("RGB"))
            output.mux(_encoded(stream, frame, at))
            at += drawn.duration_ms
        # Once more at the end, for players that end with the beginning of the last picture.
        output.mux(_encoded(stream, frame, at))
        output.mux(stream.encode())
    return file.getvalue()


def _encoded(stream: Any, frame: Any, at: float) -> Any:
    frame.pts, frame.time_base = round(at), Fraction(1, 1000)
    return stream.encode(frame)


def _film(recording: Source, first: int, last: int, *, theme: Theme, width: int | None, speed: Speed) -> list[Drawn]:
    needed("resvg_py", "A film")
    wanted = {"film": True, "from": first, "to": last, "theme": theme, "width": width, "speed": speed, "fonts": False}
    return list(draw(recording, wanted))


def _in_hundredths(durations: list[float]) -> list[int]:
    """Return durations in the tens of milliseconds of GIF: the next picture makes up for what is rounded off."""
    rounded = []
    owed = 0.0
    for duration in durations:
        exact = duration / 10 + owed
        delay = max(2, round(exact))
        owed = exact - delay
        rounded.append(delay * 10)
    return rounded
