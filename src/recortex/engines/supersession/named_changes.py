"""Recognises changes of names in code marks: one is given up, and the rest is about the same subject.

Names in code marks are unambiguous, so the sentence around them need not be parsed: "Deploy with `just
release`, no longer with `make ship`" ends "Deploys go out with `make ship`".
"""

from __future__ import annotations

import re

from recortex.engines.supersession.claims import clause_words, stems
from recortex.engines.words import PREPOSITIONS, word_set

_IDENTIFIER = re.compile(r"(?<![`\w])(?:[A-Za-z]\w*_\w+|[a-z]\w*[A-Z]\w*)(?![`\w])")
_NAME = re.compile(r"`([^`\n]{1,80})`")
_GIVEN_UP = re.compile(
    r"\b(?:instead of|rather than|in place of|over|no longer(?: \w+){0,3}?|(?:not|never|don't|do not|"
    r"stop(?:ped)?|drop(?:ped)?|from)(?: \w+){0,2}?) `([^`\n]{1,80})`",
    re.IGNORECASE,
)
_ANNOUNCING = word_set(
    """
    use uses used using run runs go goes out from now on no longer not never instead rather than place
    over stop stopped drop dropped switch switched move moved change changed replace replaced don't
    actually today let lets new old everywhere
    """
)


def gives_up_by_name(new: str, known: str) -> bool:
    """Whether a new statement gives up the name in a known one, and is about nothing else."""
    new, known = _marked(new), _marked(known)
    known_names = {_plain(name) for name in _NAME.findall(known)}
    given_up = {_plain(name) for name in _GIVEN_UP.findall(new)}
    if not known_names & given_up or len(known_names) != 1:
        return False
    about, known_about = _subject(new), _subject(known)
    return bool(about) and about <= known_about


def _marked(text: str) -> str:
    """The text with its identifiers in code marks."""
    return _IDENTIFIER.sub(lambda found: f"`{found[0]}`", text)


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


def _subject(text: str) -> frozenset[str]:
    words = [
        word for word in clause_words(_NAME.sub(" ", text)) if word.lower() not in _ANNOUNCING | PREPOSITIONS
    ]
    return stems(words)
