"""Logs as JSON lines."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime


class JsonLines(logging.Formatter):
    """Formats a record's time, level, event and the fields under `record`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "process": os.getpid(),
            **getattr(record, "record", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__  # its message may contain a user's text
        return json.dumps(line, default=str)


def log_to_stderr(is_quiet: bool = False) -> None:
    """Makes this process log the service's events and uvicorn's warnings to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in (("deixis", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING if is_quiet else level)
