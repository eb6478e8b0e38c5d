"""Protects the files that decide who may start programs: they count at once, and nothing in them breaks a server."""

from __future__ import annotations

import json
import logging

from backscope_server.operations.structured_log import JsonLines
from backscope_server.operations.switch import CLOSED, Switch


def test_a_file_closes_the_server_for_as_long_as_it_is_there(tmp_path):
    path = tmp_path / "closed"
    switch = Switch(str(path), "")
    assert switch.refusal is None
    path.write_text("We move house.\n")
    assert switch.refusal == "We move house."
    path.write_bytes(b"\xff" * 10_000)
    assert len(switch.refusal) == 500
    path.write_text("")
    assert switch.refusal == CLOSED
    path.unlink()
    assert switch.refusal is None
    assert Switch("", "").refusal is None


def test_addresses_and_networks_are_denied(tmp_path):
    path = tmp_path / "denied"
    switch = Switch("", str(path))
    assert not switch.denies("10.1.2.3")
    path.write_text("# bots\n10.1.0.0/16  # a company\nnonsense\n2001:db8:1:2::5\n")
    assert switch.denies("10.1.2.3")
    assert not switch.denies("10.2.2.3")
    assert switch.denies("2001:db8:1:2::/64")  # Limits are counted by the first half.
    assert not switch.denies("2001:db8:1:3::/64")
    assert not switch.denies("local")
    path.write_text("192.0.2.1\n")
    assert not switch.denies("10.1.2.3")
    assert switch.denies("192.0.2.1")
    path.unlink()
    assert not switch.denies("192.0.2.1")


def test_entries_of_the_log_are_lines_of_json():
    record = logging.LogRecord("backscope", logging.INFO, "", 0, "A run\nhas %s.", ("ended",), None)
    record.fields = {"status": "ok"}
    line = JsonLines().format(record)
    assert "\n" not in line
    found = json.loads(line)
    assert found.pop("time").endswith("+00:00")
    assert found == {"level": "info", "logger": "backscope", "message": "A run\nhas ended.", "status": "ok"}
