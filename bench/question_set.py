"""The questions on sessions, of the open half or of the one that is kept shut, and whether they hold."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gold import ASKS, LONGEST_QUOTE
from question_turns import Turns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

HALVES = ("open", "shut")
WORDINGS = frozenset({"names", "meaning"})
FOLDER = Path(__file__).parent / "session_questions"


def questions(half: str, projects: Collection[str] = ()) -> list[dict[str, Any]]:
    """All questions of a half, each with its project; of these projects where some are named."""
    return [
        {**json.loads(line), "project": name}
        for name, text in sorted(_files(half))
        if not projects or name in projects
        for line in text.splitlines()
    ]


def _files(half: str) -> Iterator[tuple[str, str]]:
    if half == "open":
        for path in FOLDER.glob("*.jsonl"):
            yield path.stem, path.read_text(encoding="utf-8")
        return
    with tarfile.open(FOLDER / "shut.tar.xz") as archive:
        for member in archive.getmembers():
            if (file := archive.extractfile(member)) and member.name.endswith(".jsonl"):
                yield Path(member.name).stem, file.read().decode("utf-8")


def problems(lines: Sequence[dict[str, Any]], sessions: Path) -> Iterator[str]:
    """What is wrong with questions, each with its id, and nothing of its text."""
    seen: set[str] = set()
    turns: dict[str, Turns] = {}
    for line in lines:
        which, project = line["id"], line["project"]
        if which in seen:
            yield f"{which}: the id is there twice"
        seen.add(which)
        yield from (f"{which}: {what}" for what in _fields(line))
        of_project = turns.setdefault(project, Turns(sessions / project))
        for one in (*line.get("gold", ()), *line.get("older", ())):
            try:
                wrong = _reference(of_project, one)
            except ValueError as error:
                wrong = str(error)
            if wrong:
                yield f"{which}: {wrong}"


def _fields(line: dict[str, Any]) -> Iterator[str]:
    if not line["question"].strip() or line["wording"] not in WORDINGS:
        yield "question or wording"
    if line["ask"] == "unanswerable":
        if "gold" in line or not isinstance(line.get("shares_words"), bool):
            yield "an unanswerable question has no gold, and says whether it shares words"
    elif line["ask"] not in ASKS or not line.get("gold"):
        yield "ask or gold"


def _reference(turns: Turns, one: dict[str, Any]) -> str:
    start, end = one["span"]
    if not turns.quote(one).strip() or end - start > LONGEST_QUOTE:
        return f"the span of message {one['ref']} is empty or too long"
    return "" if turns.places(one) else f"message {one['ref']} is no turn"
