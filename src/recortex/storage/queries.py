"""Named SQL: every query that does not depend on a filter stands in a `.sql` file under `sql/`, with its name.

What both engines take stands in `sql/TOPIC.sql`; what only one takes, in the engine's folder there, under the same name.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

_FOLDER = Path(__file__).parent / "sql"
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)

Engine = Literal["sqlite", "postgres"]


@cache
def queries(topic: str, engine: Engine) -> dict[str, str]:
    """The queries of a topic by name."""
    return {
        **_read(_FOLDER / f"{topic}.sql"),
        **_read(_FOLDER / engine / f"{topic}.sql"),
    }


def _read(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:  # an engine that needs nothing of its own for a topic
        return {}
    parts = _NAME.split(text)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}
