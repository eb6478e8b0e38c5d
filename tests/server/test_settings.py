"""Protects the settings: each is documented with its default, bad ones are refused with the reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from backscope_server import settings
from backscope_server.settings import Settings, is_loopback

ROOT = Path(__file__).parents[2]
README = ROOT / "server" / "backscope_server" / "operations" / "README.md"


def documented() -> dict[str, tuple[str, str, str]]:
    row = r"^\| `BACKSCOPE_(\w+)` \| (\S*) \| (\S*) \| (.+) \|$"
    rows = re.findall(row, README.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower(): (local, public, text) for name, local, public, text in rows}


def test_every_setting_is_documented_with_its_defaults():
    expected = {
        name: (str(Settings.default(name, public=False)), str(Settings.default(name, public=True)), field.description)
        for name, field in Settings.model_fields.items()
    }
    assert documented() == expected


def test_every_setting_has_a_description():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("BACKSCOPE_EVENTS", "17")
    assert Settings().limits().events == 17


def test_a_public_server_has_defaults_of_its_own(monkeypatch):
    local, public = Settings(), Settings(public=True)
    assert (public.source_bytes, public.address_programs, public.address_starts) == (65536, 4, 30)
    for name in ("wall_seconds", "cpu_seconds", "memory_bytes", "events", "log_bytes", "address_requests"):
        assert getattr(public, name) < getattr(local, name)
    monkeypatch.setenv("BACKSCOPE_PUBLIC", "1")
    monkeypatch.setenv("BACKSCOPE_EVENTS", "17")
    assert (Settings().public, Settings().events, Settings().source_bytes) == (True, 17, 65536)
    monkeypatch.setenv("BACKSCOPE_PUBLIC", "no")
    assert Settings().source_bytes == local.source_bytes


def test_a_run_of_a_million_events_fits_on_ones_own_machine():
    limits = Settings().limits()
    assert limits.events >= 1_000_000
    assert limits.log_bytes >= 1_000_000 * 300


def test_as_many_run_as_fit_into_memory(monkeypatch):
    monkeypatch.setattr(settings, "machine_memory", lambda: 9 << 30)
    assert Settings(public=True).places == 15
    assert Settings(public=True, running=3).places == 3
    monkeypatch.setattr(settings, "machine_memory", lambda: 1 << 29)
    assert Settings(public=True).places == 1


def test_a_token_is_made_unless_one_is_set_or_the_server_is_public():
    assert Settings().secret != Settings().secret
    assert len(Settings().secret or "") >= 32
    assert Settings(token="eight or more").secret == "eight or more"
    assert Settings(token="off").secret is None
    assert Settings(public=True).secret is None
    assert Settings(public=True, token="eight or more").secret == "eight or more"
    with pytest.raises(ValidationError, match="8 to 200"):
        Settings(token="short")


def test_names_of_a_public_server():
    found = Settings(public=True, host="0.0.0.0", public_host="Backscope.example.org., other.example").hosts
    assert found == {"backscope.example.org", "other.example"}


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
