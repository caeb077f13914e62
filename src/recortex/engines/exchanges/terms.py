"""The words that exchanges are found by, beside those of their texts, and the words of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.exchange import word_of_file
from recortex.engines.languages import question_words
from recortex.engines.scripts import grams
from recortex.engines.words import compound_parts, path_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.exchange import Exchange

_MOST = 4_000
"""Characters of terms, so that a text of identifiers does not fill the index twice; without those of CJK
text, which is found by nothing else."""
_READ = 2_000
"""Characters of a question that are read."""
MOST_WORDS = 48
"""Words of a question that are looked up."""


def terms(exchange: Exchange, decided: Sequence[str] = ()) -> str:
    """Parts of identifiers, pairs of Chinese and Japanese characters, and the names of files.

    Args:
        exchange: what is found by them.
        decided: the files that it decided something about, as memories name them.
    """
    said = f"{exchange.message}\n{exchange.asked}\n{exchange.outcome}"
    found = [*map(word_of_file, decided), *compound_parts(said)]
    found += (word for file in exchange.files for word in path_words(file))
    plain = " ".join(dict.fromkeys(found))[:_MOST]
    return " ".join([plain, *dict.fromkeys(grams(said))]).strip()


def asked_words(question: str) -> list[str]:
    """The different words of a question that are not function words, with parts of identifiers."""
    return question_words(question.replace("\0", " ")[:_READ])[:MOST_WORDS]
