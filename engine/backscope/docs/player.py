"""The player in a site: one copy of it as a static file, the recordings beside it, and the place where one plays."""

from __future__ import annotations

import base64
import html
from pathlib import Path

from backscope.docs.options import BookError, Options
from backscope.docs.recording import Recorded
from backscope.ops.names.all import catalogue
from backscope.player.page_template import literal, packed, single

FOLDER = "_backscope"
"""The folder of a site that the player and the recordings are in."""

_NOT_BUILT = "Backscope's page is not built: install a wheel of it, or run `npm ci && npm run build` in the folder web"


def write(site: Path, recorded: Recorded, options: Options) -> None:
    """Put the player into a site, and a recording beside it, which opens as its options say.

    Raises: BookError where the page is not built, OSError.
    """
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "page.js"
    if not page.exists():
        if (template := single()) is None:
            raise BookError(_NOT_BUILT)
        page.write_text(f"window.backscopePage = {literal(template)};\n", encoding="utf-8")
    (folder / "player.js").write_bytes(Path(__file__).with_name("player.js").read_bytes())
    trace = base64.b64encode(recorded.path.read_bytes()).decode()
    text = literal({"about": _about(options), "trace": trace})
    name = name_of(recorded, options)
    (folder / f"{name}.js").write_text(f"(window.backscopeRecordings ??= {{}})['{name}'] = {text};\n", encoding="utf-8")


def name_of(recorded: Recorded, options: Options) -> str:
    """Return the name of a recording that opens as its options say."""
    return f"{recorded.name}-{options.step or 'opening'}-{options.theme}"


def markup(recorded: Recorded, options: Options, source: str) -> str:
    """Return the place of a recording: without scripts it is the program and what it prints."""
    data = {
        "recording": name_of(recorded, options),
        "height": str(options.height),
        "title": options.title or "A recorded program",
    }
    attributes = "".join(f' data-{name}="{html.escape(value)}"' for name, value in data.items())
    said = f"<pre>{html.escape(recorded.printed)}</pre>" if recorded.printed else ""
    code = f'<pre><code class="language-python">{html.escape(source)}</code></pre>'
    return f'<div class="backscope-run"{attributes}>{code}{said}</div>'


def _about(options: Options) -> str:
    moment = [] if options.step is None else [f"at={options.step - 1}"]
    facts = {
        "name": options.title,
        "fragment": "&".join([*moment, f"theme={options.theme}"]),
        "ops": catalogue(),
    }
    return packed(facts)
