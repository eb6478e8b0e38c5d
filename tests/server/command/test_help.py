"""Protects that `backscope --help` and command/README.md say the same, and the same on every Python."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from backscope_server.command import cli
from backscope_server.command.command_line import HOST, PORT
from backscope_server.settings import Settings

ROOT = Path(__file__).parents[3]
README = ROOT / "server" / "backscope_server" / "command" / "README.md"

BY_ITSELF = {"-h", "--help", "--version"}
"""Flags that need no document."""


@pytest.fixture(scope="module")
def section() -> str:
    """The section of command/README.md about the command line."""
    return README.read_text(encoding="utf-8").split("\n## Command line\n")[1].split("\n## ")[0]


def groups(parser: argparse.ArgumentParser) -> list[argparse._SubParsersAction]:
    return [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the commands by their words, such as `run` and `lesson check`."""
    found: dict[str, argparse.ArgumentParser] = {}
    for name, parser in groups(cli.parser())[0].choices.items():
        inner = groups(parser)
        found |= {f"{name} {word}": one for group in inner for word, one in group.choices.items()} or {name: parser}
    return found


def helps() -> list[str]:
    """Return the help text of each command, in the order of commands()."""
    (top,) = groups(cli.parser())
    found: list[str] = []
    for choice in top._choices_actions:
        inner = groups(top.choices[choice.dest])
        found += [one.help for group in inner for one in group._choices_actions] or [choice.help]
    return found


def flags(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [a for a in command._actions if a.option_strings and not BY_ITSELF & set(a.option_strings)]


def written(flag: argparse.Action) -> str:
    """Return a flag as a user types it, by its long name."""
    return f"{flag.option_strings[-1]} {flag.metavar}" if flag.nargs != 0 else flag.option_strings[-1]


def synopsis(name: str, command: argparse.ArgumentParser) -> str:
    parts = [f"[{written(flag)}]" for flag in flags(command)]
    for action in command._actions:
        if not action.option_strings:
            several = action.nargs in (argparse.REMAINDER, argparse.ZERO_OR_MORE)
            optional = f"[{action.metavar}]" if action.nargs == argparse.OPTIONAL else str(action.metavar)
            parts.append(f"[{action.metavar} ...]" if several else optional)
    return " ".join(["backscope", name, *parts])


def rows(section: str, heading: str) -> list[list[str]]:
    """Return the rows of the table whose first heading is `heading`."""
    _, _, table = section.partition(f"| {heading} |")
    lines = table.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_table_of_commands_has_each_with_its_flags_and_its_help(section):
    found = {row[0].strip("`"): row[1] for row in rows(section, "command")}
    assert list(found) == [synopsis(name, command) for name, command in commands().items()]
    for name, said, help_text in zip(found, found.values(), helps(), strict=True):
        assert said.startswith(help_text), name


def test_the_table_of_flags_has_their_help_texts(section):
    expected: dict[tuple[str, str], list[str]] = {}
    for name, command in commands().items():
        for flag in flags(command):
            expected.setdefault((written(flag), flag.help), []).append(name)
    found = {(row[0].strip("`"), row[2]): row[1].replace("`", "").split(", ") for row in rows(section, "flag")}
    assert found == expected


def test_the_table_of_exit_statuses_has_their_help_texts(section):
    assert {row[0]: row[1] for row in rows(section, "exit status")} == cli.EXIT_STATUSES
    shown = " ".join(cli.parser().format_help().split())
    for meaning in cli.EXIT_STATUSES.values():
        assert meaning in shown


def test_the_readme_names_every_command_by_an_example(section):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in commands() if f"backscope {name}" not in text] == []
    names = "|".join(commands())
    shown = re.findall(rf"^backscope ({names})((?: \S+)*?)(?:  |$)", text, re.MULTILINE)
    assert len(shown) == len(re.findall(r"^backscope ", text, re.MULTILINE)) > 5
    for name, given in shown:
        known = {string for flag in flags(commands()[name]) for string in flag.option_strings}
        assert {word for word in given.split() if word.startswith("-")} <= known


@pytest.mark.parametrize("name", [*commands(), None])
def test_help_reads_the_same_on_every_python(name, monkeypatch, capsys):
    """The value of a flag follows its last name, and nothing is coloured."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(SystemExit) as left:
        cli.main([*(name.split() if name else []), "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    if name == "export":
        assert "  -o, --output OUT  the file to write" in said


def test_an_unknown_command_is_refused_in_the_same_words(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["swerve"])
    assert left.value.code == 2
    given = ", ".join(groups(cli.parser())[0].choices)
    assert f"argument COMMAND: invalid choice: 'swerve' (choose from {given})" in capsys.readouterr().err


def test_the_defaults_of_the_address_are_those_of_the_settings():
    default = Settings.model_fields
    assert (default["host"].default, default["port"].default) == (HOST, PORT)
