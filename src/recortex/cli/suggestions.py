"""Suggests verbs for one that does not exist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_BESIDE = 0.1  # a word is named too if its similarity is lower than the best one's by no more than this


def synonyms() -> dict[str, str]:
    """What other programs and everyday speech call our verbs: from each such word to the verb."""
    lines = Path(__file__).with_name("synonyms.txt").read_text(encoding="utf-8").splitlines()
    return {
        word: verb for verb, _, words in (line.partition(": ") for line in lines) for word in words.split()
    }


def meant(verb: str, known: Iterable[str]) -> tuple[str, ...]:
    """The verbs that may have been meant, the likeliest first: by meaning, else by spelling."""
    from difflib import SequenceMatcher, get_close_matches

    verbs = {name.replace("_", "-") for name in known}
    said = verb.lower().replace("_", "-")
    if said in verbs:
        return (said,)
    words = {word: name for word, name in synonyms().items() if name in verbs}
    if said in words:
        return (words[said],)
    near = get_close_matches(said, {*verbs, *words}, n=3, cutoff=0.6)
    alike = {name: SequenceMatcher(None, said, name).ratio() for name in near}
    likely = [name for name in near if alike[name] >= alike[near[0]] - _BESIDE]
    return tuple(dict.fromkeys(words.get(name, name) for name in likely))
