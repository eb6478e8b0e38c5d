"""What the filter of pandoc and Quarto calls for each program: `python -m backscope.docs.pandoc`.

Standard input is JSON: the program, its options, the folders of the document and of the output, and what is written.
Printed is HTML for `html`, else Markdown with pictures.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Literal

import msgspec

from backscope.docs import player
from backscope.docs.lesson import Part
from backscope.docs.options import BookError, read
from backscope.docs.playing import Playing, picture_of, prepare


class Request(msgspec.Struct):
    """A program of a document; `up` leads from the output to the root of the site, `target`."""

    source: str
    options: dict[str, str]
    folder: str
    target: str
    up: str
    writes: Literal["html", "print"]


def main() -> int:
    """Answer the request of standard input; return the exit status."""
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    cache = Path(request.folder) / ".backscope"
    try:
        options = read(request.options)
        playing = prepare(f"{request.source}\n", options, folder=Path(request.folder), cache=cache)
        if request.writes == "html":
            player.write(Path(request.target), playing)
            print(player.markup(playing, options) + player.script(request.up))
        else:
            print("\n\n".join(_markdown(part, playing, cache) for part in playing.printed))
    except (BookError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _markdown(part: Part, playing: Playing, cache: Path) -> str:
    match part.kind:
        case "text":
            return part.text
        case "picture":
            drawn = picture_of(playing, part, cache)
            if drawn is None:
                return ""
            # A sign may mean something in Markdown, as the star of `3 * x`. The picture has its caption in it: what
            # follows it keeps pandoc from making a figure with another one.
            caption = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", drawn.caption)
            return f"![{caption}](<{drawn.path.as_posix()}>){{width={drawn.width}px}}\\ "
        case kind:
            fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", part.text))])
            return f"{fence}{'python' if kind == 'code' else ''}\n{part.text.rstrip()}\n{fence}"


if __name__ == "__main__":
    sys.exit(main())
