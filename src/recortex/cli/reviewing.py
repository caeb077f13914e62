"""`recortex review` on a terminal: one memory after the other, decided by a key."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.cli import DONE
from recortex.cortex import Cortex
from recortex.domain.vocabulary import Status
from recortex.errors import InvalidInputError, RecortexError
from recortex.terminal import key, terminal_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.cli.parser import Call
    from recortex.domain.memory import Memory
    from recortex.operations.reviewing import Reviewed
    from recortex.terminal import Terminal

MOST = 200
"""Memories of one sitting."""
_CHOICES = "[a]ccept  [e]dit  [r]eject  [m]erge  [s]kip  [u]ndo  [q]uit"
_OF_TWO = _CHOICES.replace("[m]erge", "[b]oth hold  [m]erge")
_END = "That was all.  [u]ndo the last  [q]uit"


class Item(NamedTuple):
    """A memory to decide about.

    Attributes:
        against: the memory that says otherwise.
        question: what is asked.
    """

    memory: Memory
    against: Memory | None
    question: str

    @property
    def waits(self) -> bool:
        """Whether it is not active yet."""
        return self.memory.status is not Status.ACTIVE


def converse(call: Call) -> int:
    """Show what waits, or the candidates, and do what the person says; returns an exit code."""
    limit = call.arguments.get("limit", MOST)
    with Cortex.open(call.project, url=call.url) as cortex:
        found = items(cortex.review(candidates=call.arguments.get("candidates", False), limit=limit))
        return Sitting(cortex, found, terminal_of(sys.stdout)).hold()


def items(found: Reviewed) -> list[Item]:
    """What there is to decide: what waits, pairs that cannot both hold, what is flagged, then doubts."""
    pairs = found.contradictions
    against = {one.newer.id: one.older for one in pairs} | {one.older.id: one.newer for one in pairs}
    why = {one.memory.id: f"Does it still hold? {'; '.join(one.why)}".strip() for one in found.flagged}
    waiting = [Item(one, against.get(one.id), why.get(one.id, "Is this right?")) for one in found.memories]
    shown = {one.id for one in found.memories}
    odd = [
        Item(one.newer, one.older, f"Which of the two holds? {one.evidence}".strip())
        for one in pairs
        if not shown & {one.newer.id, one.older.id}
    ]
    shown |= {one.memory.id for one in odd}
    flagged = [
        Item(one.memory, None, why[one.memory.id]) for one in found.flagged if one.memory.id not in shown
    ]
    asked = [Item(one.memory, one.against, one.question) for one in found.questions or ()]
    return [*waiting, *odd, *flagged, *asked]


def _editor() -> str:
    """The person's own editor, where one is set."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


def _in_editor(text: str) -> str:
    """A text as the person left it in their editor; empty where it could not be opened or was left."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.txt"
        file.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run([*shlex.split(_editor()), str(file)], check=False)  # noqa: S603  their own
            return file.read_text(encoding="utf-8").strip() if done.returncode == 0 else ""
        except (OSError, ValueError):
            return ""


class Decision(NamedTuple):
    """What a person decided.

    Attributes:
        place: of the item.
        before: the version of each memory before it.
        made: the id of a merged memory; empty: none was made.
    """

    place: int
    said: str
    before: dict[str, int]
    made: str = ""


class Sitting:
    """A person who decides about memories one by one."""

    def __init__(self, cortex: Cortex, found: list[Item], terminal: Terminal) -> None:
        self._cortex = cortex
        self._items = found
        self._terminal = terminal
        self._place = 0
        self._done: list[Decision] = []
        self._acts: dict[str, tuple[str, Callable[[Item], str]]] = {
            "a": ("accepted", self._accept),
            "e": ("edited", self._edit),
            "r": ("rejected", self._reject),
            "b": ("held both", self._both),
            "m": ("merged", self._merge),
            "s": ("skipped", lambda _: ""),
        }

    def hold(self) -> int:
        """Go through all of them; every decision is kept at once, and the last can be taken back."""
        while (more := self._place < len(self._items)) or self._done:
            self._say(self._shown(self._items[self._place]) if more else f"\n{_END}")
            pressed = key()
            if pressed in {"", "q"} or not (more or pressed == "u"):
                break
            try:
                if pressed == "u":
                    self._undo()
                elif pressed in self._acts:  # another key shows the memory again
                    said, act = self._acts[pressed]
                    item = self._items[self._place]
                    # Looked up before the act, so that taking it back finds the state that the person saw.
                    before = {one.id: self._version(one.id) for one in (item.memory, item.against) if one}
                    self._done.append(Decision(self._place, said, before, act(item)))
                    self._place += 1
                    self._say(f"  {said}")
            except RecortexError as error:
                self._say(f"  {error.message} {error.hint}".rstrip())
        self._say(self._summary())
        return DONE

    def _accept(self, item: Item) -> str:
        """It holds: it becomes active, or is sure; what it disagrees with makes room for it."""
        id_ = item.memory.id
        if item.waits:
            self._cortex.review("approve", [id_])
        elif item.against is None:
            self._cortex.feedback(id_, "confirm")
        if item.against is not None:
            self._cortex.review("replace", [id_, item.against.id])
        return ""

    def _edit(self, item: Item) -> str:
        text = _in_editor(item.memory.text) if _editor() else self._line("What is right?")
        if not text or text == item.memory.text:
            raise InvalidInputError("Nothing was changed.")
        self._cortex.feedback(item.memory.id, "modify", text=text)
        return ""

    def _reject(self, item: Item) -> str:
        if item.waits:
            self._cortex.review("reject", [item.memory.id])
        else:
            self._cortex.feedback(item.memory.id, "reject")
        return ""

    def _both(self, item: Item) -> str:
        """Both are true: a waiting one becomes active, and the two are not asked about again."""
        id_, other = item.memory.id, item.against.id if item.against else ""
        if not other:
            raise InvalidInputError("It disagrees with nothing.")
        self._cortex.review("both", [id_, other])
        if item.waits:
            self._cortex.review("approve", [id_])
        return ""

    def _merge(self, item: Item) -> str:
        """One memory for both; a waiting one is approved first, since only active ones are merged."""
        id_, other = item.memory.id, item.against.id if item.against else self._line("With which (id)?")
        if not other:
            raise InvalidInputError("Nothing was changed.")
        text, before = self._line("What holds? (nothing: the better words)"), self._version(id_)
        if item.waits:
            self._cortex.review("approve", [id_])
        try:
            merged = self._cortex.consolidate("merge", [id_, other], text=text).merged
        # It was approved for the merge alone: what failed leaves it waiting, as it was.
        except RecortexError:
            self._back(id_, before)
            raise
        return merged.id if merged else ""

    def _undo(self) -> None:
        """Take the last decision back and show its memory again."""
        if not self._done:
            raise InvalidInputError("There is nothing to undo.")
        last = self._done.pop()
        if last.made:
            self._cortex.undo(last.made)
        for id_, version in last.before.items():
            self._back(id_, version)
        # To hold both took the contradiction away, which no version of a memory has.
        if last.said == "held both":
            self._cortex.link(*last.before, relation="contradicts")
        self._place = last.place
        self._say(f"  no longer {last.said}")

    def _version(self, id_: str) -> int:
        return self._cortex.history(id_).versions[0].version

    def _back(self, id_: str, version: int) -> None:
        """Give a memory the state that it had in a version."""
        if self._version(id_) != version:
            self._cortex.restore(id_, version=version)

    def _line(self, question: str) -> str:
        sys.stdout.write(f"  {question} ")
        sys.stdout.flush()
        return sys.stdin.readline().strip()

    def _shown(self, item: Item) -> str:
        counted = f"{self._place + 1} of {len(self._items)}"
        parts = ["", self._head(item.memory, counted), *self._body(item.memory)]
        if item.against is not None:
            parts += [self._terminal.style("  It disagrees with", "yellow")]
            parts += [self._head(item.against, " "), *self._body(item.against)]
        choices = _CHOICES if item.against is None else _OF_TWO
        return "\n".join([*parts, self._terminal.wrap(item.question, indent=2), choices])

    def _head(self, memory: Memory, first: str) -> str:
        when, sure = self._terminal.when(memory.recorded_at), f"{memory.confidence:.0%} sure"
        said = f"{memory.id[:8]}  {memory.kind}  {sure}  {memory.status}  {when}"
        return f"{self._terminal.style(first, 'bold')}  {said}"

    def _body(self, memory: Memory) -> list[str]:
        quote = memory.source.quote
        quoted = [self._terminal.wrap(f"“{quote}”", indent=8)] if quote and quote != memory.text else []
        return [self._terminal.wrap(memory.text, indent=4), *quoted]

    def _summary(self) -> str:
        if not self._items:
            return "Nothing waits for review."
        counts = Counter(one.said for one in self._done)
        told = ", ".join(f"{number} {said}" for said, number in counts.items()) or "Nothing was decided"
        return f"{told}; {len(self._items) - self._place} left."

    def _say(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
