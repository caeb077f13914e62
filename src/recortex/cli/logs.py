"""Logs on standard error, as JSON lines: `RECORTEX_LOG=info` or `debug`."""

from __future__ import annotations

import os

VARIABLE = "RECORTEX_LOG"


def log_if_asked() -> None:
    """Write logs where the environment asks for them; nothing is imported otherwise."""
    level = os.environ.get(VARIABLE, "").upper()
    if level not in {"DEBUG", "INFO", "WARNING"}:
        return
    import json
    import logging
    import sys

    from recortex.telemetry import listen, to_logging

    class Lines(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            told = {"at": self.formatTime(record), "level": record.levelname, "logger": record.name}
            fields = getattr(record, "fields", None)
            said = fields if isinstance(fields, dict) else {"message": record.getMessage()}
            return json.dumps({**told, **said})

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    logger = logging.getLogger("recortex")
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
    listen(to_logging())
