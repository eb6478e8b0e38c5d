"""Protects: of models of 500 to 20,000 nodes as people write them, a laptop and a phone show what acts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from stage_view import open_at, settled
from view_walk import walk

MODELS = Path(__file__).parents[1] / "models"
SAMPLED = 3
"""Steps that each model is seen at, by what it plays by itself and by nodes."""
LARGE = [
    ("1440x900", "rnn"),
    ("1440x900", "scalar_network"),
    ("1440x900", "unet"),
    ("390x844", "resnet"),
    ("390x844", "transformer"),
    ("390x844", "unet"),
]


@pytest.fixture
def context_options() -> dict[str, object]:
    """Windows without motion: a view is at its place at once."""
    return {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light", "reduced_motion": "reduce"}


@pytest.mark.parametrize(("size", "name"), LARGE)
def test_what_acts_in_a_model_is_seen(page: Page, server: Any, size: str, name: str) -> None:
    """After Run and at steps all over the run."""
    path = MODELS / f"{name}.py"
    open_at(page, server.address, size, path.name, path.read_text("utf-8"))
    assert settled(page) == []
    walked = walk(page, SAMPLED, SAMPLED)
    assert walked["walked"] > SAMPLED
    assert walked["found"] == []
