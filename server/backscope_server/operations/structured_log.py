"""Writes the log as lines of JSON, one an entry, for what collects logs; programs and addresses are in none."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime


class JsonLines(logging.Formatter):
    """An entry as JSON: time, level, logger, message, what `extra={"fields": {...}}` has, and the error."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of an entry."""
        found = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            found["error"] = self.formatException(record.exc_info)
        return json.dumps(found, ensure_ascii=False, default=str)


def begin(level: int = logging.INFO) -> None:
    """Have all entries written so, on standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
