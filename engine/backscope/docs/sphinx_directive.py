"""The directive `backscope` of Sphinx, which MyST has as ```{backscope}."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from backscope.docs import player
from backscope.docs.lesson import Part
from backscope.docs.options import OPTIONS, BookError, read
from backscope.docs.playing import Playing, picture_of, prepare
from backscope.runtime.version import VERSION

_WIDEST = 560
"""The widest picture, in pixels, that keeps its size; others are as wide as the page."""


class Player(nodes.General, nodes.Element):
    """A recording that plays, in HTML alone."""


class Printed(nodes.General, nodes.Element):
    """What stands for it where nothing plays: the code, what it prints and a picture."""


class Picture(nodes.General, nodes.Element):
    """The place of a picture, which is drawn when a book that shows it is written."""


class Backscope(SphinxDirective):
    """A program that plays in HTML; the argument is its file, or else its text follows."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = dict.fromkeys(OPTIONS, directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Record the program; the build fails where it does.

        Raises: ExtensionError, which names the document and the line.
        """
        source, line = self.get_source_info()
        try:
            options = read(self.options)
            folder = Path(self.env.doc2path(self.env.docname)).parent
            if (folder / options.lesson).is_file():
                self.env.note_dependency(folder / options.lesson)
            playing = prepare(self._source(), options, folder=folder, cache=_cache(self.env))
        except (BookError, OSError) as error:
            raise ExtensionError(f"{source}:{line}: {error}") from error
        # Builders share what is read: which of the two is written is up to each.
        printed = Printed("", *(node for part in playing.printed for node in _printed(part, playing)))
        for picture in printed.findall(Picture):
            picture.source, picture.line = source, line
        return [Player("", playing=playing, options=options), printed]

    def _source(self) -> str:
        if not self.arguments:
            return "\n".join(self.content) + "\n"
        relative, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        return Path(absolute).read_text(encoding="utf-8")


class DrawPictures(SphinxPostTransform):
    """Draws the pictures of the books that show them."""

    default_priority = 100
    builders = ("epub", "latex")

    # Any: what Sphinx may give to its transforms.
    def run(self, **_: Any) -> None:
        """Put an image in each of their places.

        Raises: ExtensionError, which names the document and the line.
        """
        for place in list(self.document.findall(Picture)):
            try:
                drawn = picture_of(place["playing"], place["part"], _cache(self.env))
            except BookError as error:
                raise ExtensionError(f"{place.source}:{place.line}: {error}") from error
            if drawn is None:
                place.parent.remove(place)
                continue
            path = str(drawn.path)
            width = "100%" if drawn.width > _WIDEST else f"{drawn.width}px"
            place.replace_self(nodes.image(uri=path, candidates={"*": path}, alt=drawn.caption, width=width))
            self.env.images.add_file(self.env.docname, path)


# Any: the environment of Sphinx, which has a type of its own in each version.
def _cache(env: Any) -> Path:
    return Path(env.doctreedir) / player.FOLDER


def _printed(part: Part, playing: Playing) -> list[nodes.Node]:
    if part.kind == "picture":
        return [Picture("", part=part, playing=playing)]
    if part.kind == "text":
        return [_paragraph(text) for text in re.split(r"\n\s*\n", part.text)]
    language = "python" if part.kind == "code" else "none"
    return [nodes.literal_block(part.text, part.text, language=language)]


def _paragraph(text: str) -> nodes.paragraph:
    """Return a paragraph of a lesson's Markdown: with its code, and its emphasis as plain text."""
    paragraph = nodes.paragraph()
    for at, piece in enumerate(re.split(r"`([^`]+)`", " ".join(text.split()))):
        plain = re.sub(r"\*+(\S(?:.*?\S)?)\*+", r"\1", piece)
        paragraph += nodes.literal(piece, piece) if at % 2 else nodes.Text(plain)
    return paragraph


# Any: the writers of Sphinx, one class for each kind of book.
def _play(writer: Any, node: Player) -> None:
    if writer.builder.name == "epub":
        raise nodes.SkipNode
    player.write(Path(writer.builder.outdir), node["playing"])
    up = "../" * writer.builder.get_target_uri(writer.builder.current_docname).count("/")
    writer.body.append(player.markup(node["playing"], node["options"]) + player.script(up))
    raise nodes.SkipNode


def _skip(_writer: Any, _node: nodes.Node) -> None:
    raise nodes.SkipNode


def _print_in_epub(writer: Any, _node: Printed) -> None:
    if writer.builder.name != "epub":
        raise nodes.SkipNode


def _go_on(_writer: Any, _node: nodes.Node) -> None:
    pass


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    skipped, printed = (_skip, _go_on), (_go_on, _go_on)
    app.add_node(Player, html=(_play, _go_on), latex=skipped, text=skipped, man=skipped, texinfo=skipped)
    app.add_node(Printed, html=(_print_in_epub, _go_on), latex=printed, text=printed, man=printed, texinfo=printed)
    app.add_node(Picture, html=skipped, latex=skipped, text=skipped, man=skipped, texinfo=skipped)
    app.add_directive("backscope", Backscope)
    app.add_post_transform(DrawPictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": VERSION}
