"""The player in a site: one copy of it as a static file, what it plays beside it, and the place where that plays."""

from __future__ import annotations

import base64
import html
from pathlib import Path

from backscope.docs.options import BookError, Options
from backscope.docs.playing import Playing
from backscope.player import page_template
from backscope.runtime.page_folder import NOT_BUILT

FOLDER = "_backscope"
"""The folder of a site that the player and the recordings are in."""


def write(site: Path, playing: Playing) -> None:
    """Put the player into a site, and what it plays beside it.

    Raises: BookError where the page is not built, OSError.
    """
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    _write_page(folder / f"{playing.page}.js", f"(window.backscopePages ??= {{}}).{playing.page} = ", playing, ";")
    (folder / "player.js").write_text(_scripts("player"), encoding="utf-8")
    text = page_template.literal({"about": playing.about, "trace": traces_of(playing)})
    (folder / f"{playing.key}.js").write_text(
        f"(window.backscopeRecordings ??= {{}})['{playing.key}'] = {text};\n", encoding="utf-8"
    )


def write_widget(site: Path, playing: Playing) -> Path:
    """Write a JavaScript module that renders recordings as widgets, with the data and traces of the widget's model.

    Raises: BookError where the page is not built, OSError.
    """
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{playing.page}.mjs"
    _write_page(path, f"{_scripts()}const page = ", playing, f";\n{_script('widget')}")
    return path


def _write_page(path: Path, before: str, playing: Playing, after: str) -> None:
    template = page_template.lesson() if playing.page == "lesson" else page_template.single()
    if template is None:
        raise BookError(NOT_BUILT)
    text = f"{before}{page_template.literal(template)}{after}\n"
    # A development server reloads its pages when a file is written: the same text is not written again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _scripts(*names: str) -> str:
    return page_template.script("frame.js") + "".join(map(_script, ("place", *names)))


def _script(name: str) -> str:
    return Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8")


def traces_of(playing: Playing) -> str:
    """Return the traces as the page reads them."""
    return "\n".join(base64.b64encode(path.read_bytes()).decode() for path in playing.traces)


def markup(playing: Playing, options: Options) -> str:
    """Return the place where a recording plays: without scripts it is the text, the programs and what they print."""
    data = {"recording": playing.key, "page": playing.page, "height": str(options.height), "title": playing.title}
    data |= {"grows": "true"} if options.grows else {}
    attributes = "".join(f' data-{name}="{html.escape(value)}"' for name, value in data.items())
    tags = {
        "text": ("<p>", "</p>"),
        "code": ('<pre><code class="language-python">', "</code></pre>"),
        "output": ("<pre>", "</pre>"),
    }
    parts = [html.escape(part.text).join(tags[part.kind]) for part in playing.printed if part.kind in tags]
    return f'<div class="backscope-run"{attributes}>{"".join(parts)}</div>'


def script(up: str) -> str:
    """Return the script of a page that has such places; `up` leads from it to the site's root."""
    return f'<script src="{up}{FOLDER}/player.js" defer></script>'
