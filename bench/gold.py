"""Gold with its references turned into quotes and texts, as end-to-end benches read it.

Or a check that all references hold.

    python bench/gold.py GOLD_DIR SESSIONS_DIR [--into FOLDER]

GOLD_DIR has PROJECT.jsonl files (`bench/gold/GUIDELINES.md` says what is in them), SESSIONS_DIR a folder
of session files for each project. Without --into, every problem is printed, and counts.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from session_text import Message, messages

KINDS = frozenset(
    "decision preference correction gotcha root_cause procedure environment convention domain "
    "architecture".split()
)
ASKS = frozenset("fact decision howto tried instruction change".split())
LONGEST_QUOTE = 200


@cache
def said(path: Path) -> dict[int, Message]:
    """The messages of a session by their references."""
    return {one.ref: one for one in messages(path)}


def resolved(line: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A line of gold with the text that its references stand for.

    Raises:
        ValueError: a reference leads nowhere, a value is none of those that there are, a wording is missing.
    """
    if line["type"] in {"fact", "unanswerable"}:
        _check_wordings(line)
    if line["type"] == "fact":
        start, end = line["span"]
        quote = _message(folder, line["session"], line["ref"]).text[start:end]
        if not quote.strip() or end - start > LONGEST_QUOTE:
            raise ValueError(f"{line['id']}: the span {start}-{end} is empty or too long")
        if line["kind"] not in KINDS or line["ask"] not in ASKS or not all(line["keys"]):
            raise ValueError(f"{line['id']}: kind, ask or keys")
        if not holds(line["fact"], line["keys"]):
            raise ValueError(f"{line['id']}: the fact itself does not hold its keys")
        return {**line, "quote": quote}
    if line["type"] == "prompt":
        return {**line, "text": _message(folder, line["session"], line["ref"]).text}
    if line["type"] == "repeat":
        for session, ref in line["at"]:
            _message(folder, session, ref)
        return {**line, "sessions": sorted({session for session, _ in line["at"]})}
    return line


def holds(text: str, keys: list[list[str]]) -> bool:
    """Whether a text has one alternative of each group of keys."""
    return all(any(key.casefold() in text.casefold() for key in group) for group in keys)


def _check_wordings(line: dict[str, Any]) -> None:
    which = line.get("id") or line.get("question")
    wordings = ["question", "asked", *(("own", "own_asked") if "own" in line or "own_asked" in line else ())]
    missing = [name for name in wordings if not (line.get(name) or "").strip()]
    if missing:
        raise ValueError(f"{which}: no {' and no '.join(missing)}")
    if line["type"] == "fact":
        telling = [name for name in wordings if name.endswith("asked") and holds(line[name], line["keys"])]
        if telling:
            raise ValueError(f"{which}: the fact is told by {' and '.join(telling)}, which holds all keys")


def _message(folder: Path, session: str, ref: int) -> Message:
    path = folder / session
    if not path.is_file() or ref not in said(path):
        raise ValueError(f"no message {ref} in {session}")
    return said(path)[ref]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gold", type=Path)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--into", type=Path)
    options = parser.parse_args()
    problems = 0
    for path in sorted(options.gold.glob("*.jsonl")):
        lines, counts = [], Counter[str]()
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                line = json.loads(text)
                lines.append(resolved(line, options.sessions / path.stem))
                counts[line["type"]] += 1
            except (ValueError, KeyError, TypeError) as error:
                problems += 1
                print(f"{path.name}:{number}: {error}")
        ids = {line["id"] for line in lines if line["type"] == "fact"}
        unknown = {need for line in lines for need in line.get("needs", ()) if need not in ids}
        if unknown:
            problems += 1
            print(f"{path.name}: needs name no fact: {sorted(unknown)}")
        print(f"{path.stem}: {dict(counts)}")
        if options.into:
            options.into.mkdir(parents=True, exist_ok=True)
            rendered = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (options.into / path.name).write_text(rendered, encoding="utf-8")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
