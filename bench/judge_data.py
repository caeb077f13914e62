"""The labelled statements and the facts of gold, with what stands around them, for `judge.py`."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recortex.embeddings.onnx import OnnxEmbedder
from recortex.engines.exchanges.building import parts
from recortex.engines.extraction.authorship import typed as typed_part
from recortex.engines.extraction.extractor import by_rules
from recortex.engines.extraction.person_rules import USER_RULES_PATTERNS as PERSON
from recortex.engines.extraction.report_entries import ACTIVE
from recortex.engines.judging.judge import Message, Speaker, Statement, features, sentences, typed
from recortex.errors import RecortexError
from recortex.formats.transcripts import open_transcript
from session_text import Message as Said
from session_text import messages
from statements import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Numbers = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

HERE = Path(__file__).parent
SHORTEST, MOST_BEFORE, MOST_MESSAGE, RAREST = 10, 500, 600, 5
LETTERS, WORD = re.compile(r"[\W_]+"), re.compile(r"[^\W_]{3,}")


class Example(NamedTuple):
    """A labelled statement, or a fact of gold, with what stands around it."""

    project: str
    message: Message
    statement: Statement
    label: str
    kind: str | None
    draw: str
    active: bool

    @property
    def text(self) -> str:
        return self.message.text[self.statement.start : self.statement.end]


# -- what was labelled


class Session:
    """The messages of a session's file and what today's rules find in it."""

    def __init__(self, path: Path) -> None:
        self.said = messages(path)
        self.place = {one.ref: place for place, one in enumerate(self.said)}
        self.found = list(_found(path))

    def message(self, ref: int) -> Message:
        place = self.place[ref]
        one, before = self.said[place], self.said[:place][::-1]
        role = "agent" if one.role == "person" else "person"
        summary = SUMMARY.search(one.text[:600]) is not None
        speaker: Speaker = "summary" if summary else "person" if one.role == "person" else "agent"
        return Message(
            speaker,
            one.text,
            before=_first(before, role),
            first=place == 0,
        )

    def rule(self, text: str) -> tuple[float, bool]:
        """The confidence of the surest rule that took this sentence, and whether it is active by it."""
        wanted = _letters(text)
        same = [
            (confidence, active)
            for confidence, active, *texts in self.found
            if len(wanted) >= SHORTEST and any(_same(wanted, one) for one in texts)
        ]
        return max(same, default=(0.0, False))


def _same(wanted: str, found: str) -> bool:
    return len(found) >= SHORTEST and (wanted in found or found in wanted)


def _letters(text: str) -> str:
    return LETTERS.sub("", text.lower())


def _found(path: Path) -> Iterator[tuple[float, bool, str, str]]:
    try:
        found = [one for turn in open_transcript(path) for one in by_rules(turn)]
    except RecortexError:
        return
    for one in found:
        quote, text = (_letters(text.rstrip("…")) for text in (one.quote, one.text))
        yield one.confidence, one.confidence >= ACTIVE and not one.hold, quote, text


def _first(said: Sequence[Said], role: str) -> str:
    return next((one.text for one in said if one.role == role), "")


def pasted(text: str, message: Message) -> bool:
    """Whether the person did not type it, as the package tells today."""
    if message.speaker != "person":
        return False
    own = " ".join("\n".join(part.text for part in parts(message.text) if not part.kind).split())
    wanted = " ".join(text.split())
    return (
        wanted not in own
        or wanted not in " ".join(typed_part(message.text).split())
        or PERSON.pasted.match(message.text) is not None
    )


def examples(root: Path) -> list[Example]:
    """All labelled statements, then the facts of gold."""
    sessions: dict[Path, Session] = {}
    found = []
    for folder, draw in (("labels/statements", ""), ("gold", "gold")):
        for path in sorted((HERE / folder).glob("*.jsonl")):
            for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                if draw and row["type"] != "fact":
                    continue
                file = root / path.stem / row["session"]
                session = sessions.setdefault(file, sessions.get(file) or Session(file))
                if one := _example(path.stem, session, row, draw):
                    found.append(one)
    return found


def _example(project: str, session: Session, row: dict[str, Any], draw: str) -> Example | None:
    message = session.message(row["ref"])
    span: tuple[int, int] | None = (row["span"][0], row["span"][1])
    label = row.get("label") or ("ksptp" if row.get("ended_by") else "ksdtp")
    if draw:
        span = _sentence(message.text, row["span"])
    if span is None:
        return None
    text = message.text[span[0] : span[1]]
    confidence, active = session.rule(text)
    statement = Statement(*span, pasted=pasted(text, message), rule=confidence)
    return Example(project, message, statement, label, row["kind"], draw or row["draw"], active)


def _sentence(text: str, span: Sequence[int]) -> tuple[int, int] | None:
    """The sentence that a span lies in."""
    shared = [(min(span[1], end) - max(span[0], start), start, end) for start, end in sentences(text)]
    most = max(shared, default=(0, 0, 0))
    return most[1:] if most[0] > 0 else None


# -- what is learned from


class Data(NamedTuple):
    """The examples as arrays; `around` and `rarity` are for the way of judging with context alone.

    `chosen` are typed sentences that a rule or the judge of the day took, labelled later by a stricter
    reader: training knows them apart, so that they teach what matters and not how strict a reader is.
    """

    project: npt.NDArray[np.str_]
    own: Flags
    named: Numbers
    names: tuple[str, ...]
    vector: Numbers
    around: Numbers
    rarity: Numbers
    labelled: Flags
    even: Flags
    chosen: Flags
    worth: Flags
    alone: Flags
    durable: Flags
    true: Flags
    kind: npt.NDArray[np.str_]
    rule: Numbers
    ruled: Flags

    @property
    def keep(self) -> Flags:
        return self.worth & self.durable & self.true

    @property
    def active(self) -> Flags:
        return self.worth & self.alone & self.true


def data(found: list[Example], root: Path, kept: Path | None) -> Data:
    named = [features(one.statement, one.message) for one in found]
    vector, around = vectors(found, kept)
    letters = np.array([list(one.label) for one in found])
    return Data(
        project=np.array([one.project for one in found]),
        own=np.array([typed(one.statement, one.message) for one in found]),
        named=np.array([list(one.values()) for one in named]),
        names=tuple(named[0]),
        vector=vector,
        around=reduced(around),
        rarity=rarity(found, root),
        labelled=np.array([one.draw != "gold" for one in found]),
        even=np.array([one.draw == "even" for one in found]),
        chosen=np.array([one.draw == "typed" for one in found]),
        worth=letters[:, 0] == "k",
        alone=letters[:, 1] == "s",
        durable=letters[:, 2] == "d",
        true=letters[:, 3] == "t",
        kind=np.array([one.kind or "" for one in found]),
        rule=np.array([one.statement.rule for one in found]),
        ruled=np.array([one.active for one in found]),
    )


def vectors(found: list[Example], kept: Path | None) -> tuple[Numbers, Numbers]:
    """Of each statement; and of its message's beginning and what that answers."""
    if kept and kept.exists():
        saved = np.load(kept)
        if len(saved["vector"]) == len(found):
            return saved["vector"], saved["around"]
    model, known = OnnxEmbedder(), dict[str, Any]()

    def of(text: str) -> Any:
        if text not in known:
            known[text] = model.embed([text])[0] if text.strip() else np.zeros(model.dimensions)
        return known[text]

    vector = np.array([of(one.text) for one in found], dtype=np.float64)
    around = np.array(
        [
            np.hstack([of(one.message.text[:MOST_MESSAGE]), of(one.message.before[-MOST_BEFORE:])])
            for one in found
        ]
    )
    if kept:
        np.savez(kept, vector=vector, around=around)
    return vector, around


def reduced(rows: Numbers, dimensions: int = 64) -> Numbers:
    """The directions in which rows differ most, each dimension as wide as one of a vector."""
    moved = rows - rows.mean(axis=0)
    _, directions = np.linalg.eigh(moved.T @ moved)
    return np.asarray(moved @ directions[:, -dimensions:])


def rarity(found: list[Example], root: Path) -> Numbers:
    """How rare the rarest words of each statement are in the messages of its project."""
    tables: dict[str, tuple[Counter[str], int]] = {}
    for project in {one.project for one in found}:
        said = [
            one.text
            for path in sorted((root / project).iterdir())
            if path.is_file()
            for one in messages(path)
        ]
        tables[project] = (
            Counter(word for text in said for word in set(WORD.findall(text.lower()))),
            len(said),
        )
    rows = []
    for one in found:
        counts, total = tables[one.project]
        rare = sorted(math.log(total / (1 + counts[word])) for word in set(WORD.findall(one.text.lower())))
        rows.append([sum(rare[-RAREST:])])
    return np.array(rows)
