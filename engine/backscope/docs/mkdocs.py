"""The fence `backscope` of MkDocs: these functions are hooks of it, which a file of the site imports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pymdownx.superfences import SuperFencesException

from backscope.docs import player
from backscope.docs.options import BookError, Options, read
from backscope.docs.recording import Recorded, check, record

_page: dict[str, Any] = {}
"""The page that is being read: its path, its text and how deep in the site it is."""

_shown: list[tuple[Recorded, Options]] = []
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
    _page.update(path=page.file.src_path, text=Path(page.file.abs_src_path).read_text(encoding="utf-8"))
    _page["up"] = "../" * page.url.count("/")


# Any: the configuration of MkDocs, which has no types.
def on_post_build(config: Any) -> None:
    """Write the player and the recordings into the site."""
    for recorded, options in _shown:
        player.write(Path(config["site_dir"]), recorded, options)


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
        recorded = record(source + "\n", _page["cache"])
        check(recorded, expects_error=options.expect_error)
    except BookError as error:
        before, _, _ = _page["text"].partition(source)
        raise SuperFencesException(f"{_page['path']}:{before.count(chr(10))}: {error}") from error
    _shown.append((recorded, options))
    script = f'<script src="{_page["up"]}{player.FOLDER}/player.js" defer></script>'
    return player.markup(recorded, options, source + "\n") + script
