"""The directive `backscope` of Sphinx, which MyST has as ```{backscope}."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from backscope import pictures
from backscope.docs import player
from backscope.docs.options import OPTIONS, BookError, Options, read
from backscope.docs.recording import Recorded, check, record
from backscope.runtime.version import VERSION


class Player(nodes.General, nodes.Element):
    """A recording that plays, in HTML alone."""


class Printed(nodes.General, nodes.Element):
    """What stands for it where nothing plays: the code, what it prints and a picture."""


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
        try:
            return self._nodes()
        except (BookError, pictures.PictureError, OSError) as error:
            source, line = self.get_source_info()
            raise ExtensionError(f"{source}:{line}: {error}") from error

    def _nodes(self) -> list[nodes.Node]:
        options = read(self.options)
        source = self._source()
        recorded = record(source, Path(self.env.doctreedir) / player.FOLDER)
        check(recorded, expects_error=options.expect_error)
        # Builders share what is read: which of the two is written is up to each.
        printed = Printed("", nodes.literal_block(source, source, language="python"))
        for text in filter(None, (recorded.printed, recorded.error)):
            printed += nodes.literal_block(text, text, language="none")
        try:
            printed += self._picture(recorded, options)
        except pictures.PictureError:
            # A program that was to fail may have nothing on its graph.
            if recorded.error is None:
                raise
        return [Player("", recorded=recorded, options=options, source=source), printed]

    def _source(self) -> str:
        if not self.arguments:
            return "\n".join(self.content) + "\n"
        relative, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        return Path(absolute).read_text(encoding="utf-8")

    def _picture(self, recorded: Recorded, options: Options) -> nodes.image:
        path = recorded.path.with_name(f"{recorded.name}-{options.step or 'opening'}.png")
        said = path.with_suffix(".txt")
        if not path.exists() or not said.exists():
            drawn = pictures.picture_of_step(recorded.path, step=options.step)
            path.write_bytes(pictures.png(recorded.path, step=options.step))
            said.write_text(drawn.caption, encoding="utf-8")
        uri = os.path.relpath(path, Path(self.env.doc2path(self.env.docname)).parent)
        return nodes.image(uri=Path(uri).as_posix(), alt=said.read_text(encoding="utf-8"), width="100%")


# Any: the writers of Sphinx, one class for each kind of book.
def _play(writer: Any, node: Player) -> None:
    if writer.builder.name == "epub":
        raise nodes.SkipNode
    player.write(Path(writer.builder.outdir), node["recorded"], node["options"])
    up = "../" * writer.builder.get_target_uri(writer.builder.current_docname).count("/")
    script = f'<script src="{up}{player.FOLDER}/player.js" defer></script>'
    writer.body.append(player.markup(node["recorded"], node["options"], node["source"]) + script)
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
    app.add_directive("backscope", Backscope)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": VERSION}
