"""Protects the dashboard: it asks for metrics that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

from backscope_server.operations.metrics import COUNTERS, GAUGES, HISTOGRAMS

DASHBOARD = Path(__file__).parents[3] / "docker" / "grafana.json"


def test_the_dashboard_asks_for_metrics_that_there_are():
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    asked = {
        name for panel in panels for one in panel["targets"] for name in re.findall(r"backscope_(\w+)", one["expr"])
    }
    assert asked
    known = {*COUNTERS, *GAUGES, *(f"{name}_bucket" for name in HISTOGRAMS)}
    assert asked <= known
