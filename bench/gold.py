"""Gold with its references turned into quotes and texts, as end-to-end benches read it.

Or a check that all references hold.

    python bench/gold.py GOLD_DIR SESSIONS_DIR [--into FOLDER]

GOLD_DIR has PROJECT.jsonl files (`bench/labels/GUIDELINES.md` says what is in them), SESSIONS_DIR a folder
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
        ValueError: a reference leads nowhere, or a value is none of those that there are.
    """
    if line["type"] == "fact":
        start, end = line["span"]
        quote = _message(folder, line["session"], line["ref"]).text[start:end]
        if not quote.strip() or end - start > LONGEST_QUOTE:
            raise ValueError(f"{line['id']}: the span {start}-{end} is empty or too long")
        if line["kind"] not in KINDS or line["ask"] not in ASKS or not all(line["keys"]):
            raise ValueError(f"{line['id']}: kind, ask or keys")
        if not all(any(key.casefold() in line["fact"].casefold() for key in group) for group in line["keys"]):
            raise ValueError(f"{line['id']}: the fact itself does not hold its keys")
        return {**line, "quote": quote}
    if line["type"] == "prompt":
        return {**line, "text": _message(folder, line["session"], line["ref"]).text}
    if line["type"] == "repeat":
        for session, ref in line["at"]:
            _message(folder, session, ref)
        return {**line, "sessions": sorted({session for session, _ in line["at"]})}
    return line


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
