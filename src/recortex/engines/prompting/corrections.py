"""Asks a model what a correction teaches, and checks the answer against the person's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.codec import convert
from recortex.domain.correction import Category
from recortex.domain.model_call import Request
from recortex.engines.extraction.polarity import keeps
from recortex.engines.extraction.self_contained import MAX_LENGTH, MIN_LENGTH, identifiers, objection
from recortex.engines.privacy import redact
from recortex.engines.prompting.part import HARMLESS
from recortex.engines.prompting.prose import prose
from recortex.engines.prompting.templates import list_schema, template
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_WORDS = 2_000
SCHEMA = list_schema(
    "principles",
    text={"type": "string"},
    category={"type": "string", "enum": [one.value for one in Category]},
)


@dataclass(frozen=True, slots=True)
class _Item:
    text: str
    category: Category


class Worded(NamedTuple):
    """What a model says that a correction teaches."""

    text: str
    category: Category


def request(words: str, did: str, rules: str) -> Request:
    """The question about a correction; code of the two texts is not sent.

    Args:
        words: what the person said.
        did: what the agent had done, in words.
        rules: the principle that rules made.
    """
    parts = {"words": words, "done": did, "rules": rules}
    prompt = "\n".join(f"<{name}>{_sendable(text)}</{name}>" for name, text in parts.items() if text)
    system = template("correct").substitute(
        shortest=MIN_LENGTH, longest=MAX_LENGTH, categories=", ".join(one.value for one in Category)
    )
    return Request(
        purpose="correct", system=system, prompt=prompt, schema=SCHEMA, items="principles", max_output=1_024
    )


def checked(items: Sequence[Any], said: str, rules: str = "") -> Worded | None:
    """The first entry of an answer, if it stands alone, names nothing new and does not say the opposite.

    Args:
        items: of the answer.
        said: everything that was sent.
        rules: the principle that rules made, with each negation, exception and condition of the words.
    """
    try:
        item = convert(items[0], _Item) if items else None
    except InvalidInputError:
        return None
    if item is None:
        return None
    text = redact(" ".join(item.text.split())).text
    invented = [name for name in identifiers(text) if name not in said]
    if (
        invented
        or not keeps(rules, text)
        or not MIN_LENGTH <= len(text) <= MAX_LENGTH
        or objection(text, addressed=True, meant=True)
    ):
        return None
    return Worded(text, item.category)


def _sendable(text: str) -> str:
    return redact(" ".join(prose(text, person=True).split())).text.replace("<", HARMLESS)[:LONGEST_WORDS]
