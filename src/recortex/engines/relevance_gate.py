"""How likely a memory is to help with a prompt: most prompts ask for work, not for knowledge.

Learned by `bench/giving.py` from pairs of a prompt and a memory that were labelled by reading. What counts is
how rare the words are that both share: in this project, by how many of its memories and exchanges hold them,
and in other projects, whichever is less. `giving.json` has the weights, the shares of usual words, and the
training record.
"""

from __future__ import annotations

from functools import cache
from math import log, log1p, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.text import clean, lazy, shorten, wrap
from recortex.engines.retrieval.question import question
from recortex.engines.tables import table
from recortex.lean import NamedTuple
from recortex.text.words import borders, is_cjk, question_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Citation, Memory


TABLE = Path(__file__).with_name("giving.json")
LEAST = 0.35
"""The least chance that a memory holds and helps with which it is given unasked."""
ORDERED = 0.2
"""The same for a rule of the person that is about what the prompt orders: to obey it, it must be there."""
OF_ORDER = 2, 6
"""The fewest words of an order that a rule about it shares, which must be half of them; and the most words of
an order."""
OTHERS = 100
"""Exchanges of other projects that count beside the project's own; 30 or 300 serve as well
(bench/giving.py)."""
UNUSUAL = 0.002
"""The share of exchanges that is expected to hold a word which is none of the usual ones."""
APART = 25.0
"""Added to the square of each text's length, as one more rare word that is not shared: so one common word is
not alike to another text with it. Of no consequence for longer texts (bench/giving.py)."""
_FOLDERS = lazy(r"(?:https?://)?[@~.]?[/\\]?(?:[\w.@$-]{1,100}[/\\]){2,40}")
"""The folders of a path, or the beginning of an address: what lies in them is about different things."""
_NOT_TYPED = lazy(r"/[\w:-]+$|[{<]")
"""A bare command such as `/compact`; what programs write, such as the notice of a task's end."""


class Asked(NamedTuple):
    """A prompt in a project.

    Attributes:
        rarity: of its words, by stem: the negative logarithm of the share of texts that hold it, here or in
            other projects.
        usual: the shares of exchanges of other projects that hold the usual words, by stem.
    """

    rarity: Mapping[str, float]
    usual: Mapping[str, float]


class Features(NamedTuple):
    """What a prompt and a memory have in common.

    Attributes:
        likeness: the cosine of both as vectors of their words' rarities, 0 to 1; less for short texts.
        shared: the logarithm of 1 and the rarities of the shared words together.
        meaning: the cosine of their embeddings; None where it is not known.
    """

    likeness: float
    shared: float
    meaning: float | None


def topic(text: str) -> frozenset[str]:
    """The stems of the words of a text that are not function words, without folders."""
    found = question_words(_FOLDERS.sub(" ", text))
    return frozenset(map(stem, filter(_telling, found)))


def words_of(prompt: str) -> list[str]:
    """The first words of a prompt, whose numbers `asked` wants; none where nobody asks anything."""
    if _NOT_TYPED.match(prompt.strip()):
        return []
    found = question(_FOLDERS.sub(" ", prompt)).words
    return list(filter(_telling, found))


def asked(counts: Mapping[str, int], size: int, usual: Mapping[str, float] | None = None) -> Asked:
    """A prompt in a project.

    Args:
        counts: for each of `words_of` the prompt how many memories and exchanges hold it.
        size: how many memories and exchanges there are.
        usual: as in `Asked`; None: those of the package.
    """
    usual = usual_words() if usual is None else usual
    held: dict[str, int] = {}
    unheard = borders(counts)
    for word, count in counts.items():
        if word in unheard:
            continue
        one = stem(word)
        # Of several forms with one stem, the commonest tells how usual the word is.
        held[one] = max(held.get(one, 0), min(count, size))
    shares = {one: usual.get(one, UNUSUAL) for one in held}
    # Additive smoothing with the shares of other projects as the prior: a young project has counted too
    # little itself.
    rarity = {
        one: -log(max((held[one] + OTHERS * share) / (size + OTHERS), share)) for one, share in shares.items()
    }
    return Asked(rarity, usual)


def features(prompt: Asked, text: str, meaning: float | None) -> Features:
    """What a prompt and the text of a memory have in common; `meaning` as in `Features`."""
    known = topic(text)
    rarity = {one: prompt.rarity.get(one) or -log(prompt.usual.get(one, UNUSUAL)) for one in known}
    shared = [value for one, value in rarity.items() if one in prompt.rarity]
    lengths = [_squares(one) + APART for one in (prompt.rarity.values(), rarity.values())]
    return Features(_squares(shared) / sqrt(lengths[0] * lengths[1]), log1p(sum(shared)), meaning)


def chance(prompt: Asked, memory: Memory, meaning: float | None = None) -> float:
    """The probability that a memory helps with a prompt, 0 to 1; more of any feature never lowers it.

    Args:
        prompt: as `asked` gives it.
        memory: the one that may be given.
        meaning: the cosine of their embeddings; None where it is not known.
    """
    text = " ".join([memory.text, *memory.tags, *(file.path for file in memory.files)])
    found = features(prompt, text, meaning)
    known = {name: value for name, value in found._asdict().items() if value is not None}
    return table(TABLE).models["words" if meaning is None else "words, meaning"].probability(known)


def is_about(rule: str, prompt: str) -> bool:
    """Whether a rule is about what a short prompt orders: it has at least half of its words, and two."""
    fewest, most = OF_ORDER
    ordered = topic(prompt)
    shared = len(ordered & topic(rule))
    return len(ordered) <= most and shared >= max(fewest, len(ordered) / 2)


@cache
def usual_words() -> dict[str, float]:
    """The shares of exchanges that hold the usual words, by stem; over all projects of the training."""
    rows = (row.split() for row in table(TABLE).written["usual"])
    return {word: int(thousandths) / 1_000 for thousandths, *listed in rows for word in listed}


def _telling(word: str) -> bool:
    return len(word) > 1 or is_cjk(word)


def _squares(values: Iterable[float]) -> float:
    return sum(value * value for value in values)


# -- writes memories for an agent: one line each, as records and never as instructions


LINE = 480
"""Characters of a memory that are shown; `get` shows it whole."""
SAID = 240
"""Characters of what was said in a session."""
ID = 8
MOST = 9_000
"""Characters of one answer: clients replace answers of more than 10,000 by a preview."""

_SINCE = {"changed": ", which has changed since: ", "gone": ", which is gone: "}


def line(memory: Memory, cited: Citation | None = None) -> str:
    """The line of a memory: kind, date, file, text, id; of a cited place that does not stand, what became."""
    about = clean(cited.path if cited else memory.files[0].path if memory.files else "")
    since = _SINCE[cited.state] + clean(cited.what) if cited and cited.state in _SINCE else ""
    place = f" ({shorten(about, 120)}{since})" if about else ""
    return (
        f"- {memory.kind}, {memory.valid_from:%Y-%m-%d}{place}: {shorten(clean(memory.text), LINE)} "
        f"[{memory.id[:ID]}]"
    )


def quote_line(exchange: Exchange, said: str) -> str:
    """The line of what a person said in a session: a record, which nobody checked."""
    at = f"{exchange.started_at:%Y-%m-%d}, " if exchange.started_at else ""
    return f'- {at}said in a session, unchecked: "{shorten(clean(said), SAID)}" [{exchange.id[:ID]}]'


def block(title: str, lines: Sequence[str]) -> str:
    """The marked text for the agent, with as many lines as fit; empty without lines."""
    kept: list[str] = []
    room = MOST - len(title)
    for one in lines:
        room -= len(one) + 1
        if room < 0:
            break
        kept.append(one)
    return wrap("\n".join([title, *kept])) if kept else ""


FOR_PROMPT = "Recortex recorded this in earlier sessions; it may bear on the prompt:"


def for_file(path: str) -> str:
    """The title over what was recorded about a file."""
    return f"Recortex recorded this about {shorten(clean(path), 200)} in earlier sessions:"


def calling(name: str) -> str:
    """What stands after the line of a memory about a function that calls the touched one."""
    return f"(about a caller of {shorten(clean(name), 120)})"
