"""Draws statements of sessions to be labelled by reading, and puts labels on what was drawn.

    python bench/statements.py draw SESSIONS_DIR PROJECT [--count 300] > PROJECT.txt
    python bench/statements.py keep SESSIONS_DIR PROJECT ANSWERS [--count 300] > PROJECT.jsonl

`draw` prints statements with a number each and what stood around them; the same arguments draw the same ones.
ANSWERS has a line for each: its number, five letters and, where it is worth keeping, its kind
(`bench/labels/GUIDELINES.md`). What `keep` writes names session, message and characters, and no text;
it belongs into `bench/labels/statements`.

Half of the windows are drawn evenly, half with a chance that grows with words that often come with something
worth keeping, so that there are enough of these; `draw` of a label says which.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

from gold import KINDS
from recortex.engines.judging.judge import sentences
from session_text import Message, messages

CUES = re.compile(
    r"\b(?:always|never|should|shouldn't|must|don't|do not|instead|rather|because|prefer|root cause|"
    r"turns? out|the (?:issue|problem|bug|cause) (?:was|is)|only|make sure|no longer|we use|from now on|"
    r"decided?|remember|convention|by design|gotcha|note that|important|works? when|fails? (?:if|when))\b",
    re.IGNORECASE,
)
SUMMARY = re.compile(r"(?i)this session is being continued from|conversation (?:so far )?(?:is )?summar")
BEFORE = 500
OF_PERSON, OF_END, OF_WORK, OF_SUMMARY = 7, 7, 3, 10
LABEL = re.compile(r"(\d+)\s+([kn])([s-])([dp])([tf?])([pax])(?:\s+([a-z_]+))?\s*$")
NAMES = ("worth", "alone", "durable", "true", "whose")


class Statement(NamedTuple):
    """A sentence of a message, by the characters of its text."""

    session: str
    message: Message
    start: int
    end: int
    draw: str


class Window(NamedTuple):
    """What the agent said, what the person said to it, and what the agent said then."""

    session: str
    before: str
    person: Message
    answers: list[Message]

    @property
    def cues(self) -> int:
        end = self.answers[-1].text if self.answers else ""
        return len(CUES.findall(self.person.text[:3000])) + len(CUES.findall(end[:3000]))


def windows(folder: Path) -> list[Window]:
    """The exchanges of a project's sessions, in time."""
    found = []
    for path in sorted(folder.iterdir()):
        if not path.is_file():
            continue
        last, current = "", None
        for one in messages(path):
            if one.role == "person":
                current = Window(path.name, last[-BEFORE:], one, [])
                found.append(current)
            elif current:
                current.answers.append(one)
            last = one.text if one.role == "agent" else last
    return found


def chosen(window: Window, draw: str, random: Random) -> list[Statement]:
    """The statements of a window that are labelled."""

    def some(message: Message, most: int) -> list[Statement]:
        spans = list(sentences(message.text))
        kept = sorted(random.sample(range(len(spans)), min(most, len(spans))))
        return [Statement(window.session, message, *spans[one], draw) for one in kept]

    summary = SUMMARY.search(window.person.text[:600])
    found = some(window.person, OF_SUMMARY if summary else OF_PERSON)
    work = window.answers[:-1]
    for one in random.sample(work, min(2, len(work))):
        found += some(one, OF_WORK // 2 + 1)
    return found + (some(window.answers[-1], OF_END) if window.answers else [])


def drawn(folder: Path, count: int) -> list[tuple[Window, list[Statement]]]:
    """Windows with their statements: even ones and cued ones in turn."""
    random = Random(f"statements of {folder.name}")
    left = windows(folder)
    found: list[tuple[Window, list[Statement]]] = []
    total, seen = 0, set[str]()
    while left and total < count:
        draw = "cued" if len(found) % 2 else "even"
        weights = [1 + 4 * one.cues for one in left] if draw == "cued" else None
        window = random.choices(left, weights)[0]
        left.remove(window)
        if window.person.text in seen:
            continue
        seen.add(window.person.text)
        statements = chosen(window, draw, random)
        total += len(statements)
        found.append((window, statements))
    return found


def show(folder: Path, count: int) -> None:
    number = 0
    for window, statements in drawn(folder, count):
        print(f"\n=== {window.session}, message {window.person.ref}")
        if window.before:
            print(f"(the agent, before) … {' '.join(window.before.split())}")
        last = None
        for one in statements:
            number += 1
            if one.message is not last:
                last = one.message
                print(f"--- {last.role}: {' '.join(last.text.split())[:200]} …")
            print(f"{number}. {' '.join(last.text[one.start : one.end].split())}")


def keep(folder: Path, count: int, answers: Path) -> int:
    statements = [one for _, found in drawn(folder, count) for one in found]
    labels, problems = {}, 0
    for line in answers.read_text(encoding="utf-8").splitlines():
        found = LABEL.match(line.strip())
        wrong = not found or (found[2] == "k") != bool(found[7]) or (found[7] and found[7] not in KINDS)
        if line.strip() and wrong:
            problems += 1
            print(f"not understood: {line}", file=sys.stderr)
        elif found:
            labels[int(found[1])] = found.groups()[1:]
    missing = set(range(1, len(statements) + 1)) - labels.keys()
    if missing:
        problems += 1
        print(f"without a label: {sorted(missing)[:40]}", file=sys.stderr)
    for number, one in enumerate(statements, 1):
        if number in labels:
            letters, kind = labels[number][:5], labels[number][5]
            row = {"session": one.session, "ref": one.message.ref, "span": [one.start, one.end]}
            print(json.dumps({**row, "label": "".join(letters), "kind": kind, "draw": one.draw}))
    return 1 if problems else 0


def arguments(count: int) -> argparse.Namespace:
    """What is drawn or kept, from where, and how many; `count` unless said."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("draw", "keep"))
    parser.add_argument("sessions", type=Path)
    parser.add_argument("project")
    parser.add_argument("answers", type=Path, nargs="?")
    parser.add_argument("--count", type=int, default=count)
    return parser.parse_args()


def main() -> int:
    options = arguments(300)
    folder = options.sessions / options.project
    if options.what == "draw":
        show(folder, options.count)
        return 0
    return keep(folder, options.count, options.answers)


if __name__ == "__main__":
    raise SystemExit(main())
