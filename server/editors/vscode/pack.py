"""Packs the extension for VS Code: `python3 pack.py [OUT]` writes backscope.vsix.  Standard library only.

A .vsix is a zip with the extension in the folder `extension`, a manifest for the gallery and the types of its files.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

HERE = Path(__file__).resolve().parent
FILES = ("package.json", "extension.js")
_TYPES = {"json": "application/json", "js": "application/javascript", "md": "text/markdown", "vsixmanifest": "text/xml"}


def pack(out: Path) -> None:
    """Write the extension to a file."""
    manifest = json.loads((HERE / "package.json").read_text("utf-8"))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", _content_types())
        made.writestr("extension.vsixmanifest", _gallery(manifest))
        for name in FILES:
            made.write(HERE / name, f"extension/{name}")
        made.write(HERE.parent / "README.md", "extension/README.md")


def _content_types() -> str:
    each = "".join(f'<Default Extension=".{name}" ContentType="{kind}"/>' for name, kind in _TYPES.items())
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{each}</Types>'
    )


def _gallery(manifest: dict[str, object]) -> str:
    name, version, publisher = (quoteattr(str(manifest[key])) for key in ("name", "version", "publisher"))
    engine = quoteattr(str(dict(manifest["engines"])["vscode"]))  # type: ignore[call-overload]
    title, text = escape(str(manifest["displayName"])), escape(str(manifest["description"]))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
    <DisplayName>{title}</DisplayName>
    <Description xml:space="preserve">{text}</Description>
    <Categories>Debuggers</Categories>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "backscope.vsix")
    pack(target)
    print(target)
