"""Protects the settings: each is documented with its default, bad ones are refused with the reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from backscope_server.settings import Settings, is_loopback

README = Path(__file__).parents[2] / "server" / "README.md"


def documented() -> dict[str, str]:
    rows = re.findall(r"^\| `BACKSCOPE_(\w+)` \| (\S+) \| .+ \|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower(): default for name, default in rows}


def test_every_setting_is_documented_with_its_default():
    defaults = {name: str(field.default) for name, field in Settings.model_fields.items()}
    assert documented() == defaults


def test_every_setting_has_a_description():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("BACKSCOPE_EVENTS", "17")
    assert Settings().limits().events == 17


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", ""])
def test_other_hosts_are_refused_with_the_reason(host):
    with pytest.raises(ValidationError, match="this machine only"):
        Settings(host=host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_is_loopback(host):
    assert is_loopback(host)
    assert Settings(host=host).host == host


def test_limits_are_positive():
    with pytest.raises(ValidationError):
        Settings(cpu_seconds=0)
