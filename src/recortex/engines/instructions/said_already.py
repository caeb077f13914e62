"""Whether a statement says nothing that is not written in an instruction file already."""

from __future__ import annotations

from collections import defaultdict
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.patterns import Patterns
from recortex.engines.similarity.near_duplicates import LONGEST, WHOLE, meaning

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PATTERNS = Patterns(__file__)
FEWEST = 3
"""Words with a meaning that a statement needs: of fewer, any text may happen to have all."""
_DENYING = frozenset(
    ("not", "cannot", "no", "avoid", "without", "instead", "forbid", "forbidden", "ban", "stop")
)

_EMPHASIS = frozenset(("alway", "must"))  # without their endings, as all words here


class _Clause(NamedTuple):
    id: str
    words: tuple[str, ...]
    denies: bool


class Written:
    """Statements that are written already, to look others up in."""

    def __init__(self, statements: Iterable[tuple[str, str, Sequence[str]]]) -> None:
        """Take statements: the id, text and commands of each."""
        self._clauses: dict[str, list[_Clause]] = defaultdict(list)
        self._commands: dict[str, str] = {}
        for id_, text, commands in statements:
            for command in commands:
                self._commands.setdefault(_plain(command), id_)
            for clause in dict.fromkeys((text, *PATTERNS.clause.split(text))):
                self._add(id_, _words(clause))

    def _add(self, id_: str, words: tuple[str, ...]) -> None:
        clause = _Clause(id_, words, not _DENYING.isdisjoint(words))
        for word in set(words):
            self._clauses[word].append(clause)

    def saying(self, text: str) -> str:
        """The id of a statement that says all that the text does, in its order; empty where none does."""
        words = _words(text) if len(text) <= LONGEST else ()
        if len(set(words)) < FEWEST:
            return ""
        rarest = min((self._clauses.get(word, []) for word in set(words)), key=len)
        denies, wanted = not _DENYING.isdisjoint(words), set(words)
        for clause in rarest:
            if denies == clause.denies and wanted <= set(clause.words) and _in_order(words, clause.words):
                return clause.id
        return ""

    def running(self, commands: Sequence[str]) -> str:
        """The id of a statement that names one of these commands, where all of them are written somewhere."""
        found = [self._of(_plain(command)) for command in commands]
        return found[0] if found and all(found) else ""

    def _of(self, command: str) -> str:
        """The id for a command, or for the same one with more arguments."""
        longer = (id_ for known, id_ in self._commands.items() if known.startswith(f"{command} "))
        return self._commands.get(command) or next(longer, "")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in meaning(text) if word not in _EMPHASIS)


def _plain(command: str) -> str:
    return " ".join(command.split()).removeprefix("$ ")


def _in_order(words: tuple[str, ...], known: tuple[str, ...]) -> bool:
    matcher = SequenceMatcher(None, known, words, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= WHOLE * len(words)
