"""What an agent asked of the person, and what they chose, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recortex.formats.tool_arguments import command_of, files_of
from recortex.formats.transcripts.pieces import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

TOLD_LIMIT = 20_000  # characters of a questionnaire
_HINT = re.compile(
    r"\s{0,4}\((?:recommended|recomendado|recommandé|empfohlen|推荐|推奨)\b[^()]{0,80}\)", re.IGNORECASE
)
_NO_OPTION = frozenset(("(notes only)", "(no option selected)"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its options, each a label and what the agent said about it.

    Attributes:
        labels: the labels by the options' ids, where they have some.
    """

    text: str
    options: dict[str, str] = field(default_factory=dict)
    id: str = ""
    labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, value: Any) -> Question:
        """The question in a tool's arguments; its options are labels or objects with a label."""
        given = value if isinstance(value, dict) else {}
        offered = given.get("options") or given.get("choices")
        options: dict[str, str] = {}
        labels: dict[str, str] = {}
        for option in offered if isinstance(offered, list) else ():
            if isinstance(option, str):
                options[option] = ""
            elif isinstance(option, dict) and isinstance(option.get("label"), str):
                options[option["label"]] = _text(option.get("description"))
                if option.get("id"):
                    labels[_text(option["id"])] = option["label"]
        text = _text(given.get("question")) or _text(given.get("prompt"))
        return cls(text, options, _text(given.get("id")), labels)

    def __str__(self) -> str:
        lines = (f"- {label}: {about}" if about else f"- {label}" for label, about in self.options.items())
        return "\n".join((self.text, *lines))

    def answered(self, answer: Any, notes: Any = "") -> str:
        """What the person said: the answer and notes, and quoted what the agent had said; empty if nothing.

        Args:
            answer: a label, several of them, or what was typed instead.
            notes: what was typed beside the choice.
        """
        named = [answer] if isinstance(answer, str) else answer if isinstance(answer, list) else []
        chosen = [line for one in named if isinstance(one, str) for line in self._chosen(one.strip())]
        said = "\n".join(filter(None, (*chosen, _text(notes))))
        return f"{_quoted(self.text)}\n{said}" if said and self.text else said

    def _chosen(self, answer: str) -> Iterator[str]:
        answer = self.labels.get(answer, answer)
        labels = [answer] if answer in self.options else answer.split(", ")
        if not all(label in self.options for label in labels):
            labels = [] if answer in _NO_OPTION else [answer]
        for label in labels:
            yield _HINT.sub("", label) if label in self.options else label
            yield _quoted(self.options.get(label, ""))


def questions(value: Any) -> list[Question]:
    """The questions of a list in a tool's arguments."""
    return [Question.read(one) for one in value] if isinstance(value, list) else []


def join_questions(parts: Iterable[object]) -> str:
    """Questions, or answers to them, one below the other."""
    return shorten("\n\n".join(filter(None, map(str, parts))), TOLD_LIMIT)


def described(name: str, given: Mapping[str, Any]) -> str:
    """A tool call in words: the tool with its plan, command or files."""
    about = _text(given.get("plan")) or command_of(name, given) or ", ".join(files_of(name, given))
    return shorten(f"{name}: {about}" if about else name)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
