"""Named SQL: every query that does not depend on a filter stands in a `.sql` file under `sql/`, with its name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "sql"
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def queries(topic: str) -> dict[str, str]:
    """The queries of `sql/TOPIC.sql` by name."""
    parts = _NAME.split((_FOLDER / f"{topic}.sql").read_text(encoding="utf-8"))
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}
