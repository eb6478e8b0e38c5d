"""The fence `backscope` of MkDocs: these functions are hooks of it, which a file of the site imports."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from pymdownx.superfences import SuperFencesException

from backscope.docs import player
from backscope.docs.options import BookError, read
from backscope.docs.playing import Playing, prepare

__all__ = ["on_config", "on_page_content", "on_page_markdown", "on_post_build"]

_PRE = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
_MISREAD = re.compile(r"(?:<code>|`{3,}|~{3,})\s*(\{?\s*\.?backscope\b[^\n<]*)\n")
"""The beginning of a fence that Markdown has not taken for one: it becomes code within a line, or stays as it is."""
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*(.*?)\s*")

_page: dict[str, Any] = {}
"""The page that is being read: its path, its folder, its text and how deep in the site it is."""

_shown: list[Playing] = []
"""What plays in the site."""


# Any: the configuration of MkDocs, which has no types.
def on_config(config: Any) -> Any:
    """Add the fence to the extensions of Markdown."""
    if "pymdownx.superfences" not in config["markdown_extensions"]:
        config["markdown_extensions"].append("pymdownx.superfences")
    settings = config["mdx_configs"].setdefault("pymdownx.superfences", {})
    fences = settings.setdefault("custom_fences", [])
    fences.append({"name": "backscope", "class": "backscope", "format": fence, "validator": take_all})
    _page["cache"] = Path(config["config_file_path"]).parent / ".cache" / "backscope"
    _shown.clear()
    return config


# Any: a page of MkDocs, which has no types, and what else it gives.
def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> None:
    """Remember the page, for its errors and for the way to the player."""
    path = Path(page.file.abs_src_path)
    _page.update(path=page.file.src_path, folder=path.parent, text=path.read_text(encoding="utf-8"))
    _page["up"] = "../" * page.url.count("/")


# Any: a page of MkDocs, which has no types, and what else it gives.
def on_page_content(content: str, *, page: Any, **_: Any) -> None:
    """End the build where Markdown has not taken a fence for one.

    Raises: PluginError.
    """
    misread = {html.unescape(one).strip() for one in _MISREAD.findall(_PRE.sub("", content))}
    for number, line in enumerate(_page["text"].splitlines(), 1):
        if (begins := _FENCE.fullmatch(line)) is not None and begins[1] in misread:
            raise PluginError(
                f"{page.file.src_path}:{number}: Markdown does not take this for a fence: {line.strip()}. Put its "
                'options in braces, with quotes, and the same spaces before all lines: ``` { .backscope step="5" }'
            )


# Any: the configuration of MkDocs, which has no types.
def on_post_build(config: Any) -> None:
    """Write the player and what it plays into the site."""
    for playing in _shown:
        player.write(Path(config["site_dir"]), playing)


# Any: what pymdownx gives to fences, which has no types.
def take_all(_language: str, inputs: Mapping[str, str], options: dict[str, str], _attrs: Any, _md: Any) -> bool:
    """Take the options as they are written; the fence says what is wrong with them."""
    options.update(inputs)
    return True


# Any: what pymdownx gives to fences, which has no types.
def fence(source: str, _language: str, _name: str, given: Mapping[str, str], _md: Any, **_: Any) -> str:
    """Return the markup of a program.

    Raises: SuperFencesException, which ends the build and names the document and the line.
    """
    try:
        options = read(given)
        playing = prepare(source + "\n", options, folder=_page["folder"], cache=_page["cache"])
    except (BookError, OSError) as error:
        before, _, _ = _page["text"].partition(source)
        raise SuperFencesException(f"{_page['path']}:{before.count(chr(10))}: {error}") from error
    _shown.append(playing)
    return player.markup(playing, options) + player.script(_page["up"])
