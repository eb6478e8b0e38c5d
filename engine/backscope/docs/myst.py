"""The directive `backscope` of MyST's own site builder, which runs a file of the site with `main` as its plugin."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from backscope.docs import player
from backscope.docs.options import OPTIONS, BookError, read
from backscope.docs.playing import prepare

_SPEC = {
    "name": "Backscope",
    "directives": [
        {
            "name": "backscope",
            "doc": "A program that is recorded when the site is built, and plays in it.",
            "arg": {"type": "string", "doc": "The program's file, relative to the project."},
            "options": {name: {"type": "string", "doc": "As in Backscope's documents."} for name in OPTIONS},
            "body": {"type": "string", "doc": "The program, where there is no file."},
        }
    ],
}


class Directive(msgspec.Struct):
    """A directive as it is written."""

    arg: str = ""
    options: dict[str, str] = {}
    body: str = ""


def main() -> int:
    """Say what the plugin has, or answer for the directive of standard input; return the exit status."""
    if len(sys.argv) == 1:
        print(msgspec.json.encode(_SPEC).decode())
        return 0
    # MyST runs its plugins in the folder of the project.
    project = Path.cwd()
    try:
        given = msgspec.json.decode(sys.stdin.buffer.read(), type=Directive)
        options = read(given.options)
        source = Path(given.arg).read_text(encoding="utf-8") if given.arg else f"{given.body}\n"
        playing = prepare(source, options, folder=project, cache=project / "_build" / player.FOLDER)
        module = player.write_widget(project / "_build", playing)
    except (BookError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    model = {
        "about": playing.about,
        "trace": player.traces_of(playing),
        "title": playing.title,
        "height": options.height,
        "grows": options.grows,
    }
    node = {"type": "anywidget", "id": playing.key, "esm": f"/{module.relative_to(project).as_posix()}", "model": model}
    print(msgspec.json.encode([node]).decode())
    return 0
