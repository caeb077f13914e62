"""The messages of six projects' sessions as a chat, each a memory, with the questions of gold.

A fact of gold is asked for in both its wordings, and found where a message holds its keys; a question of
`session_questions/` (the open half) is answered by any of its messages. `$RECORTEX_BENCH_SESSIONS` has a
folder of session files for each project.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gold import holds
from question_set import questions
from retrieval_items import Item, Query, Store
from session_text import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECTS = ("agentv", "polychrome.p5", "context-evaluator", "StarCar", "contact_maintain", "session-bridge")
GOLD = Path(__file__).parent / "gold"
LONGEST = 20_000
"""Characters of a message that are stored."""


def chat() -> list[Store]:
    """A store for each project."""
    folder = os.environ.get("RECORTEX_BENCH_SESSIONS")
    if not folder:
        raise SystemExit(
            "Set RECORTEX_BENCH_SESSIONS to a folder with the unpacked sessions of each project."
        )
    return [_project(name, Path(folder) / name) for name in PROJECTS]


def _project(name: str, folder: Path) -> Store:
    items = [item for path in sorted(folder.rglob("*")) if path.is_file() for item in _messages(path)]
    lines = [json.loads(line) for line in (GOLD / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = questions("open", (name,))
    strange = [
        line[word] for line in lines if line["type"] == "unanswerable" for word in ("asked", "question")
    ]
    strange += [one["question"] for one in asked if one["ask"] == "unanswerable"]
    found = [*_facts(lines, items), *_asked(asked, items)]
    return Store(name, tuple(items), tuple(found), tuple(strange))


def _messages(path: Path) -> Iterator[Item]:
    for turn, said in enumerate(messages(path)):
        if text := said.text.strip()[:LONGEST]:
            speaker = "user" if said.role == "person" else "assistant"
            yield Item(
                f"{path.name}#{said.ref}", text, "conversation", path.stem, turn, speaker, _time(said.at)
            )


def _time(written: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(written)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _facts(lines: list[dict[str, object]], items: list[Item]) -> Iterator[Query]:
    for line in lines:
        if line["type"] == "fact" and not line.get("ended_by"):
            keys = cast("list[list[str]]", line["keys"])
            gold = frozenset(item.id for item in items if holds(item.text, keys))
            for wording in ("asked", "question"):
                if gold:
                    yield Query(str(line[wording]), wording, gold, enough=1)


def _asked(lines: list[dict[str, object]], items: list[Item]) -> Iterator[Query]:
    known = {item.id for item in items}
    for line in lines:
        answers = cast("list[dict[str, str]]", line.get("gold", []))
        if gold := known.intersection(f"{one['session']}#{one['ref']}" for one in answers):
            yield Query(str(line["question"]), str(line["wording"]), frozenset(gold), enough=1)
