"""Makes drafts for ingestion from the arguments of `remember`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from recortex.app.symbol_links import functions_of
from recortex.codec import convert
from recortex.domain.kinds import kind_of
from recortex.domain.memory import ConstraintLink, PatternLink, Source
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Actor, Importance, Origin, Trust, priority_of
from recortex.engines.ingestion.draft import Draft
from recortex.errors import InvalidInputError
from recortex.operations import agents
from recortex.operations.base import file_link
from recortex.operations.inputs import NewMemory
from recortex.operations.registry import converted, parameter_types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.application import Application
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import FileLink
    from recortex.domain.spelled import AnyImportance

MOST_QUOTED = 240
"""Characters of the words that a memory rests on."""
_SPEAKERS = {"person": "user", "agent": "assistant"}
_DRAFT_FIELDS = tuple(field.name for field in fields(Draft))


def new_memory(one: Any, place: int) -> NewMemory:
    """The input of `remember` from one object of a list; what is null there is left out."""
    if not isinstance(one, Mapping):
        raise InvalidInputError(f"Item {place} is not an object with the arguments of remember.")
    types = parameter_types(NewMemory)
    unknown = sorted(set(one) - types.keys())
    if unknown:
        raise InvalidInputError(
            f"Item {place}: remember takes no {unknown[0][:40]!r}.", hint=f"It takes: {', '.join(types)}."
        )
    given = {name: value for name, value in one.items() if value is not None}
    try:
        return NewMemory(**converted(given, types))
    except InvalidInputError as error:
        raise InvalidInputError(f"Item {place}: {error}", hint=error.hint) from None


def draft_of(app: Application, new: NewMemory) -> Draft:
    """The draft for ingestion: links, source and origin resolved, and limited as `agents.py` says."""
    if new.from_exchange:
        new = _out_of(app.locate_exchange(new.from_exchange)[1], new)
    # An agent cannot speak with the person's authority.
    usual = Origin.AGENT if app.actor is Actor.AGENT else Origin.USER
    origin = usual if new.origin is None or new.origin == Origin.USER else Origin(new.origin)
    untrusted = TRUST_OF_ORIGIN[origin] is Trust.UNTRUSTED
    replaced = app.locate(new.supersedes)[1] if new.supersedes else None
    resolved: dict[str, Any] = {
        "kind": kind_of(new.kind or "insight"),
        "content": dict(new.content or {}),
        "priority": priority_from(new.priority, new.importance),
        "tags": tuple(new.tags),
        "files": file_links(app, new.files),
        "functions": functions_of(app, new.functions),
        "patterns": tuple(map(PatternLink, new.patterns)),
        "constraints": tuple(map(ConstraintLink, new.constraints)),
        "source": _source(new.source),
        "origin": origin,
        # An agent cannot let untrusted text out of quarantine; only a person's review can.
        "status": None if app.actor is Actor.AGENT and untrusted else new.status,
        "supersedes": replaced.id if replaced else None,
        "metadata": dict(new.metadata or {}),
    }
    taken_over = {name: getattr(new, name) for name in _DRAFT_FIELDS if name not in resolved}
    return agents.held_back(app, Draft(**taken_over, **resolved), replaced)


def file_links(app: Application, paths: Sequence[str]) -> tuple[FileLink, ...]:
    """The files of a list of `PATH`, `PATH:LINE` and `PATH:FIRST-LAST`."""
    return tuple(file_link(path, app.root) for path in paths)


def priority_from(priority: int | None, importance: AnyImportance | None) -> int:
    """The priority itself where it is given, else that of the importance."""
    return priority_of(Importance(importance or Importance.NORMAL)) if priority is None else priority


def _source(source: Mapping[str, Any] | str | None) -> Source:
    if source is None:
        return Source()
    given = {"session": source} if isinstance(source, str) else dict(source)
    names = [field.name for field in fields(Source)]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InvalidInputError(f"A source has no {unknown[0][:40]!r}.", hint=f"It has: {', '.join(names)}.")
    return convert(given, Source)


def _out_of(exchange: Exchange, new: NewMemory) -> NewMemory:
    """What is to be remembered of an exchange: with its source, and true since it was said.

    Raises:
        InvalidInputError: a source is given too, or there is no text and the message cannot stand alone.
    """
    from recortex.engines.ingestion.output_redaction import record_redacted

    if new.source is not None:
        raise InvalidInputError("The exchange is the source.", hint="Give `source` or `from_exchange`.")
    said = record_redacted(exchange)
    words = said.message or said.came_of_it
    source = {
        "session": said.session,
        "turn": said.first_turn,
        "speaker": _SPEAKERS.get(said.opener, ""),
        "client": said.client,
        "quote": words if len(words) <= MOST_QUOTED else words[: MOST_QUOTED - 1] + "…",
        "branch": said.branch,
        "commit": said.commit,
    }
    text = new.text or ("" if new.content else _alone(said))
    return replace(new, text=text, source=source, valid_from=new.valid_from or said.started_at)


def _alone(exchange: Exchange) -> str:
    """The message of an exchange, where it says by itself what it means.

    Raises:
        InvalidInputError: it does not: it answers something, is a question, or refers to what is not in it.
    """
    from recortex.engines.extraction.sentences import objection, statement

    answers = "?" in exchange.asked or "→" in exchange.message
    if exchange.opener == "person" and not answers:
        text = statement(exchange.message)
        if not objection(text, addressed=True, meant=True):
            return text
    raise InvalidInputError(
        "What was said there cannot stand alone.",
        hint="Say it in one statement: `remember TEXT --from ID`; as a tool, with `text`.",
    )
