"""Draws pictures of shared runs, one after the other, in a process of its own, as its imports take longer than drawing.

A line of JSON, `Wanted`, then the trace come in; a line of JSON, `Drawn`, then the picture go out.
"""

from __future__ import annotations

import sys

import msgspec

from backscope import pictures


class Wanted(msgspec.Struct):
    """The bytes of the trace that follow, the step, from 1, and the width of the picture in pixels."""

    nbytes: int
    step: int
    width: int


class Drawn(msgspec.Struct):
    """The bytes of the picture that follow, or why there are none."""

    nbytes: int
    problem: str = ""


def main() -> None:
    """Draw until nothing more comes in."""
    answers = sys.stdout.buffer
    for line in sys.stdin.buffer:
        wanted = msgspec.json.decode(line, type=Wanted)
        trace = sys.stdin.buffer.read(wanted.nbytes)
        try:
            picture, problem = pictures.png(trace, step=wanted.step, width=wanted.width), ""
        except (pictures.PictureError, OSError) as error:
            picture, problem = b"", str(error)
        answers.write(msgspec.json.encode(Drawn(len(picture), problem)) + b"\n" + picture)
        answers.flush()


if __name__ == "__main__":
    main()
