"""Trains the chance that a typed sentence lasts, and gives its figures on registers and projects left out.

    python bench/careless_fit.py SESSIONS_DIR [--write]

Examples are all but the shut half of `bench/careless.txt` and the person's statements of
`bench/labels/statements`: worth keeping, beyond the task at hand and standing alone, or not. With each
register left out in turn it gives the share of durable sentences that are found, and of the others; with
each project left out how many of its statements are taken and how many of these the reader found worth
keeping, whether they stand alone or not.
"""

from __future__ import annotations

import argparse
import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from careless import sentences
from recortex.engines.extraction.authorship import typed
from recortex.engines.extraction.plain_speech import MOST_TYPED, SURE, TABLE, plain_speech, signs, spoken
from session_text import messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

LABELS = Path(__file__).parent / "labels" / "statements"
RIDGE, ROUNDS = 1.5, 60
WRITTEN, UNREAD = 3.0, 0.3
"""The weights of a sentence that was written for the bench, and of one that nobody labelled: few of those
last, and they stand for what people type all day."""


class Example(NamedTuple):
    """Signs of a sentence, what is expected, its group, and what the reader said."""

    signs: dict[str, float]
    lasts: bool
    group: str
    worth: bool
    text: str
    weight: float = 1.0


def written() -> Iterator[Example]:
    for one in sentences():
        if one.half != "shut":
            found = signs(plain_speech(one.text), one.text, one.text)
            yield Example(found, one.durable, f"register {one.register}", one.durable, one.text, WRITTEN)


def labelled(root: Path) -> Iterator[Example]:
    for path in sorted(LABELS.glob("*.jsonl")):
        said: dict[str, dict[int, str]] = {}
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            file = root / path.stem / row["session"]
            if row["label"][4] != "p" or not file.exists():
                continue
            known = said.setdefault(row["session"], {})
            if not known:
                known |= {one.ref: one.text for one in messages(file)}
            message = known.get(row["ref"], "")
            text = message[slice(*row["span"])]
            if text not in [one for one, _ in spoken(message)] and (
                len(message) > MOST_TYPED or text not in typed(message) or not message.isascii()
            ):
                continue
            keep, alone, lasts = row["label"][0] == "k", row["label"][1] == "s", row["label"][2] == "d"
            worth = keep and lasts
            yield Example(signs(plain_speech(text), text, message), worth and alone, path.stem, worth, text)


def unread(root: Path, known: set[str]) -> Iterator[Example]:
    """The typed sentences of the same projects that nobody labelled."""
    for path in sorted(LABELS.glob("*.jsonl")):
        for file in sorted((root / path.stem).iterdir()):
            for message in messages(file) if file.is_file() else ():
                for sentence, said in spoken(message.text) if message.role == "person" else ():
                    if sentence not in known:
                        known.add(sentence)
                        found = signs(said, sentence, message.text)
                        yield Example(
                            found, lasts=False, group=path.stem, worth=False, text=sentence, weight=UNREAD
                        )


def fit(examples: Sequence[Example], names: Sequence[str]) -> Numbers:
    """The bias and the weights, by Newton's steps."""
    rows = np.array([[1.0, *(one.signs[name] for name in names)] for one in examples])
    wanted = np.array([float(one.lasts) for one in examples])
    weights = np.array([one.weight for one in examples])
    penalty = RIDGE * np.eye(rows.shape[1])
    penalty[0, 0] = 0.0
    found = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weights * (wanted - chances)) - penalty @ found
        curve = (rows * (weights * chances * (1 - chances))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curve, slope)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return found


def chances(examples: Sequence[Example], names: Sequence[str], fitted: Numbers) -> Numbers:
    rows = np.array([[1.0, *(one.signs[name] for name in names)] for one in examples])
    result: Numbers = 1 / (1 + np.exp(-np.clip(rows @ fitted, -30, 30)))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    every = list(chain(written(), labelled(options.sessions)))
    every += unread(options.sessions, {one.text for one in every})
    names = list(every[0].signs)
    left_out = np.zeros(len(every))
    for group in sorted({one.group for one in every}):
        rest = [one for one in every if one.group != group]
        own = [place for place, one in enumerate(every) if one.group == group]
        left_out[own] = chances([every[place] for place in own], names, fit(rest, names))
    for bar in (0.4, 0.5, 0.6, 0.7):
        by_hand = [
            (one, left_out[at] >= bar) for at, one in enumerate(every) if one.group.startswith("register")
        ]
        real = [(one, left_out[at] >= bar) for at, one in enumerate(every) if one.weight == 1.0]
        unlabelled = [left_out[at] >= bar for at, one in enumerate(every) if one.weight == UNREAD]
        taken = [one for one, sure in real if sure]
        print(json.dumps({
            "bar": bar,
            "durable found": round(np.mean([sure for one, sure in by_hand if one.lasts]), 3),
            "others found": round(np.mean([sure for one, sure in by_hand if not one.lasts]), 3),
            "labelled": len(real), "lasting": sum(one.lasts for one, _ in real), "taken": len(taken),
            "lasting among them": sum(one.lasts for one in taken),
            "worth among them": sum(one.worth for one in taken),
            "unlabelled": len(unlabelled), "taken of these": int(sum(unlabelled)),
        }))  # fmt: skip
    if options.misses:
        for at, one in enumerate(every):
            if one.weight == 1.0 and left_out[at] >= SURE and not one.worth:
                print(f"taken {left_out[at]:.2f} {one.group}: {one.text[:200]!r}")
        for at, one in enumerate(every):
            if one.group.startswith("register") and (left_out[at] >= SURE) != one.lasts:
                print(f"{'missed' if one.lasts else 'WRONG '} {left_out[at]:.2f} {one.text}")
    if options.write:
        fitted = fit(every, names)
        weights = {name: round(float(value), 3) for name, value in zip(names, fitted[1:], strict=True)}
        record = {"examples": len(every), "lasting": sum(one.lasts for one in every)}
        table = {"bias": round(float(fitted[0]), 3), "weights": weights, "record": record}
        TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
