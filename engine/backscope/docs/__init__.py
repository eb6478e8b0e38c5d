"""Programs and lessons in books: for Sphinx and MyST, MkDocs, Quarto and pandoc.

README.md has the options. A program is recorded when the book is built; HTML gets a player, PDF and EPUB get the code,
what it prints and a picture.
"""

from typing import Any

from backscope.docs.options import BookError as BookError


# Any: the application of Sphinx, which is not there without it.
def setup(app: Any) -> dict[str, Any]:
    """Add the directive to Sphinx, which calls this for the extension `backscope.docs`."""
    from backscope.docs import sphinx_directive

    return sphinx_directive.setup(app)
