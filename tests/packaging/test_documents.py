"""Protects the documents: they name every variable, part and room, and the files that they name exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SCRIPTS = (
    "server/__main__.py",
    "server/environment.py",
    "tests/__main__.py",
    "tests/suites.py",
    "tests/chromium.py",
    "tests/conftest.py",
    "web/build.py",
    "web/build_hook.py",
)


def test_every_variable_of_the_scripts_is_documented(root: Path) -> None:
    document = (root / "tests" / "README.md").read_text()
    used = {name for script in SCRIPTS for name in re.findall(r"BACKSCOPE_[A-Z_]+", (root / script).read_text())}
    assert {name for name in used if f"`{name}`" not in document} == set()


def test_every_part_of_the_tests_is_documented(root: Path) -> None:
    (parts,) = re.findall(r"^PARTS = \((.*)\)$", (root / "tests" / "suites.py").read_text(), re.MULTILINE)
    document = (root / "tests" / "README.md").read_text()
    command = (root / "tests" / "__main__.py").read_text()
    for part in re.findall(r'"(\w+)"', parts):
        assert f"| `{part}` |" in document
        assert part in command.split('"""')[1]


def test_every_variable_of_the_compose_file_is_documented(root: Path) -> None:
    names = set(re.findall(r"\$\{(\w+)", (root / "docker" / "compose.yaml").read_text()))
    document = (root / "docker" / "README.md").read_text()
    assert names
    assert {name for name in names if name not in document} == set()


@pytest.mark.parametrize("command", ["python3 server", "python3 tests"])
def test_the_two_commands_are_in_the_readme(command: str, root: Path) -> None:
    assert command in (root / "README.md").read_text()


BASES = ("", "engine/backscope", "web/src", "web")
"""The folders that paths in recipes are relative to."""
RECIPES = {
    "README.md": ("## Change it", "## License"),
    "engine/README.md": ("## Adding an op", "## What an installation has"),
    "web/src/README.md": ("## An event kind", None),
}
"""The headings between which a document says how something is added."""


def test_the_files_that_the_recipes_name_exist(root: Path) -> None:
    recipes = ""
    for document, (first, after) in RECIPES.items():
        text = (root / document).read_text().split(first)[1]
        recipes += text if after is None else text.split(after)[0]
    paths = re.findall(r"`([\w./-]+\.(?:py|ts|toml|svelte|json|md|mjs))`", recipes)
    named = [path for path in paths if "NN_" not in path and "NAME" not in path]
    assert len(named) > 20
    assert [path for path in named if not any((root / base / path).exists() for base in BASES)] == []


MOST_FILES = 32
"""Source files side by side in a room: about as many names as a newcomer can take in."""


def rooms(root: Path) -> list[Path]:
    """Return the folders of the engine; of the namespaces torch and functorch only the two roots."""
    engine = root / "engine" / "backscope"
    found = [page.parent.relative_to(engine) for page in engine.rglob("__init__.py")]
    return [
        room for room in found if room.parts and (len(room.parts) == 1 or room.parts[0] not in ("torch", "functorch"))
    ]


def test_the_map_says_of_each_room_what_its_docstring_says(root: Path) -> None:
    """The map is the first block of engine/README.md; rooms within a room are indented below it."""
    block = (root / "engine" / "README.md").read_text().split("```")[1]
    lines = re.findall(r"^( *)(\w+)/ +(.*)$", block, re.MULTILINE)
    mapped: dict[Path, str] = {}
    above: list[str] = []
    for indent, name, said in lines:
        above[len(indent) // 2 :] = [name]
        mapped[Path(*above)] = said
    engine = root / "engine" / "backscope"
    docstrings = {
        room: ast.get_docstring(ast.parse((engine / room / "__init__.py").read_text())) for room in rooms(root)
    }
    assert mapped == {room: (text or "").split("\n")[0].rstrip(".") for room, text in docstrings.items()}


def test_the_engine_has_rooms_only_none_of_them_crowded(root: Path) -> None:
    engine = root / "engine" / "backscope"
    assert {page.name for page in engine.glob("*.py")} == {"__init__.py"}, "what is not in a room"
    # The pages of torch are as many as PyTorch has.
    crowded = {room: len(list((engine / room).glob("*.py"))) for room in rooms(root) if room != Path("torch")}
    assert {room: count for room, count in crowded.items() if count > MOST_FILES} == {}


def test_links_of_documents_lead_somewhere(root: Path) -> None:
    folders = [root / name for name in ("docker", "engine", "server", "tests", "web/src")]
    documents = [*root.glob("*.md"), *root.glob("web/*.md"), *(page for one in folders for page in one.rglob("*.md"))]
    astray: list[str] = []
    found = 0
    for document in documents:
        for target, anchor in re.findall(r"\]\(([^()\s:#]*)#?([^()\s:]*)\)", document.read_text()):
            found += 1
            there = document.parent / target if target else document
            if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
                astray.append(f"{document}: {target}#{anchor}")
    assert found > 30
    assert astray == []


def anchors(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_map_of_each_room_of_the_server_names_its_files(root: Path) -> None:
    server = root / "server" / "backscope_server"
    maps = sorted(server.glob("*/README.md"))
    assert [page.parent for page in maps] == sorted(room.parent for room in server.glob("*/__init__.py"))
    overview = (root / "server" / "README.md").read_text()
    for page in maps:
        assert f"(backscope_server/{page.parent.name}/README.md)" in overview
        block = page.read_text().split("```")[1]
        mapped = {name for name in re.findall(r"\b\w+\.py\b", block) if (page.parent / name).exists()}
        assert mapped == {path.name for path in page.parent.glob("*.py")} - {"__init__.py"}
        named = set(re.findall(r"\b\w+\.py\b", block))
        assert named - {path.name for path in page.parent.rglob("*.py")} == set()


def test_every_route_is_documented_and_no_other(root: Path) -> None:
    from backscope_server.api import legal_pages, rest, share_routes, stream

    routes = set()
    for router in (rest.router, stream.router, share_routes.cards, legal_pages.router):
        for route in router.routes:
            path = re.sub(r"\{\w+\}", "*", route.path)  # type: ignore[attr-defined]
            if path != "/api" and ":path" not in path:  # These answer that there is nothing.
                routes |= {f"{method} {path}" for method in getattr(route, "methods", ["WebSocket"])}
    document = (root / "server" / "backscope_server" / "api" / "README.md").read_text()
    named = re.findall(r"(GET|POST|PUT|PATCH|DELETE|WebSocket) ?`?(/[\w./]*)", document)
    assert {f"{method} {re.sub('/[A-Z]+(?=/|$)', '/*', path)}" for method, path in named} == routes
