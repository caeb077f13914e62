"""Memories: the list with its filters, one with all that is known of it, and what can be done to it."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.search import Order
from recortex.domain.vocabulary import Importance, Origin, Scope, Status
from recortex.errors import InvalidInputError, RecortexError
from recortex.lean import replace
from recortex.operations.base import MAX_LIMIT, OpenedMemory
from recortex.web.pages.view import Gone, Page, Shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from recortex.cortex import Cortex
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory, Version
    from recortex.web.pages.view import View

_LISTED = 50
_ORDERS = {
    "recorded": "recorded last",
    "importance": "most important",
    "confidence": "surest",
    "accessed": "used last",
    "updated": "changed last",
}
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


class Change(NamedTuple):
    """A part of a text: kept, added or taken out."""

    state: str
    text: str


class Told(NamedTuple):
    """A version with what it changed in the one before."""

    version: Version
    changes: Sequence[Change]
    fields: Mapping[str, tuple[str, str]]


def listing(view: View) -> Shown:
    """Memories, filtered and in pages."""
    offset = view.number("offset")
    found = view.cortex.list(
        kinds=tuple(view.texts("kind")),
        statuses=view.words("status", Status) or None,
        tags=tuple(view.texts("tag")),
        files=tuple(view.texts("file")),
        origins=view.words("origin", Origin),
        scope=view.word("scope", Scope),
        pinned=True if view.text("pinned") == "yes" else None,
        session=view.text("session"),
        as_of=view.at("as_of"),
        order=view.word("order", Order, "recorded"),
        limit=_LISTED,
        offset=offset,
    )
    return Shown(
        "memories.html",
        {
            "found": found,
            "offset": offset,
            "page_size": _LISTED,
            "kinds": sorted(KINDS),
            "statuses": list(Status),
            "origins": list(Origin),
            "orders": _ORDERS,
        },
    )


def memory(view: View) -> Shown | Gone:
    """One memory: what it says, where it came from, its versions, where it was given, what is near it."""
    cortex, id_ = view.cortex, view.place["id"]
    found = cortex.get(id_, as_of=view.at("as_of"))
    if not isinstance(found, OpenedMemory):
        return Gone(view.url(f"records/{id_}"))
    history = cortex.history(found.id)
    return Shown(
        "memory.html",
        {
            "memory": found,
            "told": list(_told(history.versions)),
            "audit": history.audit,
            # Undoing that a memory was made archives it, which has a button of its own.
            "undoable": [one.operation for one in history.audit] != ["create"],
            "related": cortex.related(found.id, limit=20).neighbours,
            "why": cortex.explain(found.id),
            "use": cortex.inspect(id=found.id).memory,
            "importances": list(Importance),
            "kinds": sorted(KINDS),
            "editing": view.text("edit") == "yes",
        },
    )


def _told(versions: Sequence[Version]) -> Iterator[Told]:
    """The versions, latest first, each beside the one before it."""
    ordered = sorted(versions, key=lambda one: -one.version)
    for place, version in enumerate(ordered):
        former = ordered[place + 1].memory if place + 1 < len(ordered) else None
        now = version.memory
        changes = word_changes(former.text, now.text) if former and former.text != now.text else ()
        fields = {}
        for name in ("kind", "status", "confidence", "priority", "pinned", "valid_until", "tags"):
            before, after = (_word(getattr(one, name, "")) for one in (former, now))
            if former and before != after:
                fields[name.replace("_", " ")] = (before, after)
        yield Told(version, changes, fields)


def _word(value: object) -> str:
    if isinstance(value, float):
        return f"{value * 100:.0f} %"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(getattr(value, "value", value))


def word_changes(before: str, after: str) -> list[Change]:
    """Which words of a text were kept, taken out and added, in the order of reading."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    changes: list[Change] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            changes.append(Change("kept", "".join(old[a:b])))
            continue
        changes += [
            Change(state, text)
            for state, text in (("out", "".join(old[a:b])), ("in", "".join(new[c:d])))
            if text
        ]
    return changes


_ACTS: Mapping[str, tuple[Callable[[Cortex, str], object], str]] = {
    "pin": (lambda cortex, id_: cortex.edit(id_, pinned=True), "Pinned: it never fades."),
    "unpin": (lambda cortex, id_: cortex.edit(id_, pinned=False), "Unpinned."),
    "confirm": (lambda cortex, id_: cortex.feedback(id_, "confirm"), "Confirmed."),
    "reject": (lambda cortex, id_: cortex.feedback(id_, "reject"), "Archived: agents will no longer see it."),
    "approve": (
        lambda cortex, id_: cortex.review("approve", [id_]),
        "Approved: agents will see it from now on.",
    ),
    "forget": (
        lambda cortex, id_: cortex.forget(id_),
        "Archived: agents will no longer see it. “Restore” brings it back.",
    ),
    "undo": (lambda cortex, id_: cortex.undo(id_), "The last change was undone. Undo again to redo it."),
}
"""What can be done to a memory with one button, and what is told of it then."""


def act(view: View) -> Gone:
    """Do one thing to a memory."""
    cortex, id_, action = view.cortex, view.place["id"], view.text("action")
    then = view.url() if view.text("then") == "home" else view.url(f"memories/{id_}")
    if action == "edit":
        kept = cortex.edit(
            id_,
            text=view.text("text") or None,
            kind=view.text("kind") or None,
            importance=view.word("importance", Importance),
            tags=tuple(one for one in re.split(r"[,\s]+", view.text("tags")) if one),
            reason=view.text("reason"),
        )
        return Gone(view.url(f"memories/{kept.id}"), "Saved. The former version is kept below.")
    if action == "restore":
        cortex.restore(id_, version=view.number("version") or None)
        return Gone(then, "Restored.")
    if action not in _ACTS:
        raise InvalidInputError(f"There is no action {action[:40]!r}.", hint="Go back and choose again.")
    does, said = _ACTS[action]
    does(cortex, id_)
    return Gone(then, said)


def said(view: View) -> Gone:
    """The record of what was said where a memory was learned."""
    found = view.cortex.get(view.place["id"])
    if not isinstance(found, OpenedMemory):
        return Gone(view.url(f"records/{view.place['id']}"))
    record = _record_of(view, found)
    return Gone(view.url(f"records/{record.id}" if record else f"sessions/{found.source.session}"))


def _record_of(view: View, memory: Memory) -> Exchange | None:
    """The exchange that a memory was learned from, if it is kept."""
    source = memory.source
    if not source.session or source.turn is None:
        return None
    try:
        found = view.cortex.sessions(session=source.session, limit=MAX_LIMIT).exchanges
    except RecortexError:
        return None
    return next((one for one in found if one.first_turn <= source.turn <= one.last_turn), None)


def deletion(view: View) -> Shown:
    """What deleting a memory for good would take with it."""
    found = view.cortex.purge(view.place["id"], dry_run=True)
    memory = view.cortex.get(view.place["id"])
    record = _record_of(view, memory) if isinstance(memory, OpenedMemory) else None
    values = {"purged": found, "memory": memory, "done": False, "record": record}
    return Shown("deletion.html", values)


def delete(view: View) -> Shown:
    """Delete a memory for good, once the person has typed that they want it."""
    if view.text("agreed") != "yes":
        raise InvalidInputError("Deleting for good has to be confirmed.", hint="Go back and tick the box.")
    found = view.cortex.purge(view.place["id"])
    if record := view.text("record"):
        more = view.cortex.purge(record)
        found = replace(
            found, exchanges=(*found.exchanges, *more.exchanges), traces=found.traces + more.traces
        )
    return Shown("deletion.html", {"purged": found, "memory": None, "done": True, "record": None})


def add(view: View) -> Gone:
    """Keep what a person writes."""
    kept = view.cortex.remember(view.text("text"), kind=view.text("kind") or "insight")
    return Gone(view.url(f"memories/{kept.id}"), "Remembered.")


PAGES = (
    Page("GET", "/memories", "memories", listing),
    Page("POST", "/memories", "add", add),
    Page("GET", "/memories/{id}", "memory", memory),
    Page("POST", "/memories/{id}", "act", act),
    Page("GET", "/memories/{id}/said", "said", said),
    Page("GET", "/memories/{id}/delete", "deletion", deletion),
    Page("POST", "/memories/{id}/delete", "delete", delete),
)
