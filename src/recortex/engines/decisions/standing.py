"""What a record says of its own standing, and when: the words and dates of its status."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from recortex.engines.patterns import Patterns

Standing = Literal["accepted", "proposed", "rejected", "deprecated", "superseded", ""]
"""Empty: it does not say, or not in words that are known."""

PATTERNS = Patterns(__file__)
_MONTHS = {name: at for at, name in enumerate(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}  # fmt: skip


def standing_of(text: str) -> Standing:
    """What a status says: of several words the one with the latest date, or the last line's first.

    What it says of other records ("supersedes …") is not its own standing.
    """
    text = PATTERNS.unchecked.sub("", PATTERNS.struck.sub("", text))
    found: list[tuple[datetime, int, Standing]] = []
    for number, line in enumerate(text.split("\n")):
        own = PATTERNS.of_another.sub("", line)
        word = PATTERNS.word.search(own)
        if word is None:
            continue
        name: Standing = word.lastgroup  # type: ignore[assignment]  # the names of the groups
        if name == "superseded":
            return name
        found.append((date_in(line) or datetime.min.replace(tzinfo=UTC), number, name))
    return max(found, key=lambda one: one[:2])[2] if found else ""


def is_choice(text: str) -> bool:
    """Whether a status is that of a template: several to choose from."""
    return bool(PATTERNS.choice.search(text))


def date_in(text: str) -> datetime | None:
    """The first date in a text, at midnight UTC: `2024-05-01`, `1.5.2024`, `May 1, 2024`, `1 May 2024`."""
    for found in PATTERNS.date.finditer(text):
        for kind in "12345":
            if found[f"y{kind}"]:
                day = found[f"d{kind}"] if kind != "5" else "1"
                month = found[f"m{kind}"].lower()
                try:
                    return datetime(
                        int(found[f"y{kind}"]), _MONTHS.get(month[:3]) or int(month), int(day), tzinfo=UTC
                    )
                except ValueError:
                    break
    return None
