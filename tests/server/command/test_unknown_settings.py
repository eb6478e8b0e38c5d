"""Protects that a misspelt setting is named, and that nothing else is taken for one."""

from __future__ import annotations

import re
from pathlib import Path

from backscope_server.command.unknown_settings import OTHERS, unknown_settings
from backscope_server.settings import PREFIX, Settings

ROOT = Path(__file__).parents[3]


def test_a_misspelt_setting_is_named_with_the_nearest_one():
    given = ["BACKSCOPE_WALL_SECOND", "backscope_prot", "BACKSCOPE_FROBNICATE", "BACKSCOPE_EVENTS", "backscope_port"]
    assert unknown_settings([*given, "PATH", "BACKSCOPE_CHROMIUM"]) == [
        "BACKSCOPE_FROBNICATE is no setting and has no effect; server/backscope_server/operations/README.md lists all.",
        "BACKSCOPE_WALL_SECOND is no setting and has no effect; did you mean BACKSCOPE_WALL_SECONDS?",
        "backscope_prot is no setting and has no effect; did you mean BACKSCOPE_PORT?",
    ]


def test_addresses_of_services_in_a_cluster_are_taken_for_no_settings():
    links = ["BACKSCOPE_REDIS_SERVICE_HOST", "BACKSCOPE_REDIS_PORT", "BACKSCOPE_REDIS_PORT_6379_TCP_ADDR"]
    assert unknown_settings(iter(links)) == []
    assert len(unknown_settings(links[1:])) == 2


def test_variables_of_the_tests_and_the_compose_files_are_taken_for_no_settings():
    texts = [(ROOT / "tests" / "README.md").read_text(encoding="utf-8")]
    texts += [path.read_text(encoding="utf-8") for path in (ROOT / "docker").glob("*.yaml")]
    named = {name for text in texts for name in re.findall(rf"(?:`|\$\{{){PREFIX}(\w+)", text)}
    assert {name for name in named if name.lower() not in Settings.model_fields} == OTHERS
