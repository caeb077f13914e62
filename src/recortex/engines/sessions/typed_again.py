"""Finds what the person typed again: a sentence that says what one of an earlier session said.

Of 615 messages in which readers found an instruction repeated from an earlier session (bench/labels/repeats),
27 % are found; of 395 that are found, readers call 42 % a repetition. The others are mostly requests typed
twice; what is missed says the same in other words.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.extraction.authorship import typed
from recortex.engines.extraction.plain_speech import asks
from recortex.engines.extraction.sentences import passages, typed_sentences, without_greeting
from recortex.engines.patterns import Patterns
from recortex.engines.similarity import is_near_duplicate, jaccard, meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

PATTERNS = Patterns(__file__)

READ = 20_000
"""Characters of a prompt that are looked at."""
LEAST, MOST = 3, 60
"""Words that carry meaning in a sentence that is compared: fewer are in any request, more are pasted."""
ALIKE = 0.5
"""The share of such words in common from which two sentences say the same."""
SHORT, SESSIONS = range(2, 6), 2
"""Words of a phrase such as "no code", which is typed again where so many sessions had just these."""
LONGEST_PHRASE = 80
"""Characters."""

_Words = frozenset[str]


class Sentence(NamedTuple):
    """A typed sentence with the words that carry its meaning, and the session that it was typed in."""

    text: str
    words: _Words
    session: str = ""


def says_the_same(text: str, other: str) -> bool:
    """Whether two statements say the same, in nearly the same words."""
    one, two = _words(text), _words(other)
    alike = jaccard(one, two) >= ALIKE or is_near_duplicate(text, other) or is_near_duplicate(other, text)
    return alike and len(one & two) >= min(LEAST, len(one), len(two))


@dataclass(slots=True)
class Typed:
    """What the person typed in sessions so far; each sentence is compared with those of other sessions."""

    _said: list[Sentence] = field(default_factory=list)
    _with: dict[str, list[int]] = field(default_factory=dict)
    _phrases: dict[_Words, dict[str, Sentence]] = field(default_factory=dict)

    def again(self, session: str, prompt: str) -> list[tuple[str, Sentence]]:
        """What of a prompt repeats an earlier session: sentences and phrases, each with the first one.

        The prompt's own sentences are then known, too.
        """
        found: list[tuple[str, Sentence]] = []
        new: list[tuple[Sentence, list[Sentence]]] = []
        for text in _requests(prompt):
            one, phrases = Sentence(text, _words(text), session), list(_phrases(text, session))
            habits = ((phrase.text, self._known(phrase)) for phrase in phrases)
            repeats = ((said, first) for said, first in [(text, self._alike(one)), *habits] if first)
            found += itertools.islice(repeats, 1)
            new.append((one, phrases))
        for one, phrases in new:
            if LEAST <= len(one.words) <= MOST:
                for word in one.words:
                    self._with.setdefault(word, []).append(len(self._said))
                self._said.append(one)
            for phrase in phrases:
                self._phrases.setdefault(phrase.words, {}).setdefault(phrase.session, phrase)
        return found

    def _alike(self, one: Sentence) -> Sentence | None:
        """The first sentence of another session that says the same."""
        if not LEAST <= len(one.words) <= MOST:
            return None
        near = sorted({place for word in one.words for place in self._with.get(word, ())})
        return next(
            (
                known
                for known in (self._said[place] for place in near)
                if known.session != one.session and jaccard(one.words, known.words) >= ALIKE
            ),
            None,
        )

    def _known(self, phrase: Sentence) -> Sentence | None:
        """The first of the same phrase, where enough other sessions had it."""
        others = [
            known
            for session, known in self._phrases.get(phrase.words, {}).items()
            if session != phrase.session
        ]
        return others[0] if len(others) >= SESSIONS else None


def _requests(prompt: str) -> Iterator[str]:
    """The typed sentences that ask nothing: a question is no instruction, whatever its words."""
    for passage in passages(typed(prompt[:READ])):
        for text in typed_sentences(passage):
            if not asks(text):
                yield text


def _phrases(text: str, session: str) -> Iterator[Sentence]:
    """The parts of a sentence that are short enough to be a habit."""
    for part in PATTERNS.border.split(PATTERNS.place.sub(" ", text)):
        words = frozenset(meaning(part))
        if len(words) in SHORT and len(part) < LONGEST_PHRASE and not asks(part.strip()):
            yield Sentence(" ".join(part.split()), words, session)


def _words(text: str) -> _Words:
    """The words that carry meaning, without greeting and names of files."""
    return frozenset(meaning(PATTERNS.place.sub(" ", without_greeting(text))))
