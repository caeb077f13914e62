"""Draws pairs of a prompt and an earlier statement worth keeping, to be labelled by reading.

    python bench/pairs.py draw SESSIONS_DIR PROJECT [--count 50] > PROJECT.txt
    python bench/pairs.py keep SESSIONS_DIR PROJECT ANSWERS [--count 50] > bench/labels/pairs/PROJECT.jsonl

The statements are those that `bench/labels/statements` keeps, and the facts of `bench/gold`; a prompt is
paired with a statement of an earlier session, or of earlier in its own: one that shares its rarest words, the
nearest by vectors, or one among the ten nearest. ANSWERS has a line for each pair: its number and h (helps),
n (neutral) or m (misleads), as `bench/labels/GUIDELINES.md` says.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from session_text import Message, messages
from statements import SUMMARY, arguments

HERE = Path(__file__).parent
LABEL = re.compile(r"(\d+)\s+([hnm])\s*$")
SHOWN, LEAST = 700, 12


class Said(NamedTuple):
    """A passage of a message; `at` orders it in the project's history."""

    session: str
    ref: int
    span: tuple[int, int]
    text: str

    @property
    def at(self) -> tuple[str, int]:
        return self.session, self.ref


def kept(folder: Path) -> list[Said]:
    """What is worth keeping of a project's sessions, in time."""
    rows = []
    for path in (
        HERE / "labels" / "statements" / f"{folder.name}.jsonl",
        HERE / "gold" / f"{folder.name}.jsonl",
    ):
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        found = [json.loads(line) for line in lines]
        rows += [
            one
            for one in found
            if one.get("type") == "fact" or one.get("label", "").startswith(("ksdt", "ks-t"))
        ]
    texts = {
        name: {one.ref: one for one in messages(folder / name)} for name in {row["session"] for row in rows}
    }
    said = [_said(row, texts[row["session"]][row["ref"]]) for row in rows]
    return sorted({one.text: one for one in said}.values(), key=lambda one: one.at)


def _said(row: dict[str, Any], message: Message) -> Said:
    start, end = row["span"]
    text = " ".join(message.text[start:end].split())
    return Said(row["session"], message.ref, (start, end), text)


def prompts(folder: Path) -> list[Said]:
    """What the person asked for, without summaries and long pasted texts."""
    found: dict[str, Said] = {}
    for path in sorted(folder.iterdir()):
        for one in messages(path) if path.is_file() else ():
            long = len(one.text) > 4000 or SUMMARY.search(one.text[:600])
            if one.role == "person" and not long and len(one.text) >= LEAST:
                found.setdefault(one.text[:200], Said(path.name, one.ref, (0, len(one.text)), one.text))
    return list(found.values())


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9_]{3,}|[\u3040-\u9fff]{2}", text.lower()))


def drawn(folder: Path, count: int) -> list[tuple[Said, Said, str]]:
    """Pairs of a prompt and a statement, with how they were drawn."""
    from recortex import Cortex

    random = Random(f"pairs of {folder.name}")
    facts, asked = kept(folder), prompts(folder)
    random.shuffle(asked)
    with Cortex.open(url="sqlite:///:memory:") as cx:
        embedder: Any = cx._app.embedder  # noqa: SLF001
        matrix = np.array(embedder.embed_named([one.text for one in facts])[1])
        held = Counter(word for one in facts for word in words(one.text))
        found: list[tuple[Said, Said, str]] = []
        for prompt in asked:
            earlier = [place for place, one in enumerate(facts) if one.at < prompt.at]
            if len(earlier) < 5 or len(found) >= count:
                continue
            vector = np.array(embedder.embed_named([prompt.text[:2000]])[1][0])
            near = sorted(earlier, key=lambda place: -float(matrix[place] @ vector))
            own = words(prompt.text)
            rare = max(
                earlier,
                key=lambda place: sum(
                    math.log(len(facts) / held[word]) for word in words(facts[place].text) & own
                ),
            )
            ways = {rare: "words", near[0]: "nearest", random.choice(near[1:10]): "near"}
            place, way = random.choice(list(ways.items()))
            found.append((prompt, facts[place], way))
    return found


def main() -> int:
    options = arguments(50)
    pairs = drawn(options.sessions / options.project, options.count)
    if options.what == "draw":
        for number, (prompt, fact, _) in enumerate(pairs, 1):
            print(f"\n{number}. {prompt.session}, message {prompt.ref}\nPROMPT: {prompt.text[:SHOWN]}")
            print(f"MEMORY ({fact.session[:16]}): {fact.text}")
        return 0
    lines = options.answers.read_text(encoding="utf-8").splitlines()
    labels = {int(found[1]): found[2] for line in lines if (found := LABEL.match(line.strip()))}
    missing = [number for number in range(1, len(pairs) + 1) if number not in labels]
    if missing:
        print(f"without a label: {missing}", file=sys.stderr)
    for number, (prompt, fact, way) in enumerate(pairs, 1):
        if number in labels:
            of = {"session": fact.session, "ref": fact.ref, "span": list(fact.span)}
            row = {
                "session": prompt.session,
                "ref": prompt.ref,
                "memory": of,
                "label": labels[number],
                "draw": way,
            }
            print(json.dumps(row))
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
