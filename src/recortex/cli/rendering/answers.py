"""What was found, and what waits for a person: memories with exchanges, documents and causes beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.memories import hit, lines, short
from recortex.cli.rendering.project import chunk_hits
from recortex.cli.rendering.reasoning import likely_cause, questions
from recortex.cli.rendering.sessions import hits
from recortex.cli.rendering.values import plural
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from recortex.cli.terminal import Terminal
    from recortex.domain.explanation import Proposal, Recall
    from recortex.domain.memory import Memory
    from recortex.operations.reviewing import Contradiction, Flagged, Reviewed

_EMPTY = {
    "nothing stored": "Nothing is stored here yet. `recortex import claude-code` learns from past sessions.",
    "nothing in common": "Nothing known has a word or a meaning in common with this question.",
    "floor": "Nothing known answers this well enough. --no-floor shows the {n} that came closest.",
    "time": "Nothing that is true now answers this. {u} answer for another time: --valid-at TIME shows them.",
    "filter": "Nothing that passes the filters answers this; {n} would without them.",
}
"""Why there is no answer, in words."""


def recall(value: Recall, terminal: Terminal) -> str:
    """The memories that answer a question, each with its score; then exchanges, and what is only proposed."""
    need = value.needed
    if need:
        return f"The answer does not fit the budget; it needs at least {need} tokens (--budget {need})."
    told = [hit(one, terminal) for one in value.hits]
    if not told and (
        value.floor or not (value.exchanges or value.documents or value.unchecked)
    ):  # without a floor no memory was looked for
        told.append(_nothing(value))
    if value.hits and value.withheld:
        kept = f"{value.withheld} weaker not shown; --no-floor shows them."
        told.append(terminal.style(kept, "dim"))
    if value.hits and value.untimely:
        other = (
            f"{value.untimely} more answer but are not true now; --valid-at TIME shows what was true then."
        )
        told.append(terminal.style(other, "dim"))
    if value.exchanges:
        told.append(hits(value.exchanges, terminal))
    told += [_proposal(one, terminal) for one in value.unchecked]
    if value.documents:
        told.append(chunk_hits(value.documents, terminal))
    return "\n\n".join(told)


def _proposal(value: Proposal, terminal: Terminal) -> str:
    """A memory that is only proposed: its text, marked."""
    mark, name = terminal.style("unchecked", "yellow"), terminal.style(short(value.id), "cyan")
    return f"{mark}  {name}  {value.said_on:%Y-%m-%d}\n{terminal.wrap(value.text, indent=6)}"


def _nothing(value: Recall) -> str:
    """That no memory answers, and why."""
    if value.exchanges or value.documents or value.unchecked:
        return "No memory answers this."
    return _EMPTY.get(value.empty, "Nothing known answers this.").format(n=value.withheld, u=value.untimely)


def reviewed(value: Reviewed, terminal: Terminal) -> str:
    """Memories that wait for a person, or that were decided about."""
    words = {
        "approve": "Approved:\n",
        "reject": "Rejected:\n",
        "replace": "Replaced, the new one first:\n",
        "list": "",
    }
    if value.questions is not None:
        return questions(value.questions, terminal)
    left = f"\n\n{value.waiting} waiting." if value.waiting else "\n\nNothing else is waiting."
    odds = "".join(f"\n{_contradiction(one, terminal)}" for one in value.contradictions)
    if odds:
        odds = f"\n\nThese cannot both hold; `recortex review replace NEW OLD` decides:{odds}"
    if value.flagged:
        told = "".join(f"\n{_flagged(one, terminal)}" for one in value.flagged)
        odds += f"\n\nThese may no longer hold; `recortex review approve ID` keeps one as it is:{told}"
    if value.causes:
        told = "\n".join(line for one in value.causes for line in likely_cause(one, terminal))
        odds += f"\n\nThese may have led to one another:{told}"
    if value.leaving:
        odds += f"\n\n{leaving(value.leaving)}"
    if not value.memories:
        return f"Nothing waits for approval.{odds}" if odds else "Nothing waits for review."
    how = " `recortex review approve ID` or `reject ID` decides." if value.action == "list" else ""
    shown = _groups(value, terminal) if value.action == "list" else lines(value.memories, terminal)
    return f"{words[value.action]}{shown}{left}{how}{odds}"


def _groups(value: Reviewed, terminal: Terminal) -> str:
    """What waits, whole and by subject, with the line that keeps all of a subject at once."""
    parts = []
    for subject, group in value.groups:
        parts.append(terminal.style(clean(subject), "bold"))
        parts += [_whole_proposal(one, terminal) for one in group]
        if len(group) > 1:
            ids = " ".join(short(one.id) for one in group)
            parts.append(f"  all of these: recortex review approve {ids}")
    return "\n".join(parts)


def _whole_proposal(memory: Memory, terminal: Terminal) -> str:
    """A memory that waits: its words, what it was learned from, and when that was said."""
    said = f"{memory.confidence:.0%} sure  {memory.status}  {memory.valid_from:%Y-%m-%d}"
    head = f"{short(memory.id)}  {memory.kind}  {said}"
    quote = memory.source.quote
    quoted = [terminal.wrap(f"“{quote}”", indent=4)] if quote and quote != memory.text else []
    return "\n".join([head, terminal.wrap(memory.text, indent=2), *quoted])


def leaving(number: int) -> str:
    """How many proposals leave the list soon, and what stays of them."""
    return (
        f"{plural(number, 'proposal leaves', 'proposals leave')} this list within a week, since nobody looked"
        " at them; what was said can still be found."
    )


def _flagged(value: Flagged, terminal: Terminal) -> str:
    """A memory that was flagged, and what for."""
    return "\n".join([lines((value.memory,), terminal), *(f"  {clean(why)}" for why in value.why)])


def _contradiction(value: Contradiction, terminal: Terminal) -> str:
    """Two memories that cannot both hold, the newer one first."""
    why = f"  because {clean(value.evidence)}" if value.evidence else ""
    return f"{lines((value.newer, value.older), terminal)}{why}"
