"""How a team's memory is synchronised, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.terminal import clean, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.sync.operations import SyncConflict, Synced, Teammate
    from recortex.terminal import Terminal


def synced(value: Synced, terminal: Terminal) -> str:
    """What was done, then how things are, then what needs the person."""
    return "\n".join(_told(value, terminal))


def _told(value: Synced, terminal: Terminal) -> Iterator[str]:
    if not value.way:
        yield "This project's memory is on this machine alone."
        yield "Share it with a team over the project's git remote: recortex sync setup"
        yield "Or join a team server by the link of its admin: recortex sync join LINK"
        return
    if value.action in {"invite", "revoke", "members"}:
        yield from _access(value, terminal)
        return
    yield from _done(value)
    if value.action in {"now", "push", "pull"}:
        yield from _agreement(value)
    elif value.action == "conflicts":
        yield from () if value.conflicts else ("No memory was changed by two people at once.",)
    else:
        yield from _state(value, terminal)
    for one in value.conflicts:
        yield from _conflict(one, terminal)
    for problem in value.problems:
        yield terminal.style(terminal.wrap(clean(problem), indent=2), "yellow")


def _done(value: Synced) -> Iterator[str]:
    match value.action:
        case "setup" | "join" if value.new_team:
            yield f"The team's memory was made on {clean(value.way)}; {plural(value.sent, 'version')} sent."
            yield "Teammates join it in their checkout: recortex sync setup"
        case "setup" | "join":
            names = sorted({one.name for one in value.members if not one.own})
            yield f"Joined the memory of {clean(', '.join(names)) or 'the team'} on {clean(value.way)}."
            yield f"{plural(value.received, 'version')} received, {value.sent} sent."
        case "now" | "push" | "pull":
            yield f"{value.received} received, {value.sent} sent."
        case "resolve":
            yield "Settled: everybody gets that version with the next sync. `recortex undo ID` takes it back."
        case "leave":
            yield "The project does not sync any more; what came from the team stays."


def _access(value: Synced, terminal: Terminal) -> Iterator[str]:
    if value.link:
        yield f"In their checkout, on one machine: recortex sync join '{value.link}'"
        yield "The link is shown only now, and belongs to whoever follows it first."
    for one in value.tokens:
        used = f"last used {one.used_at:%Y-%m-%d}" if one.used_at else "never used"
        ends = "revoked" if one.revoked_at else f"until {one.expires_at:%Y-%m-%d}" if one.expires_at else ""
        told = ", ".join(filter(None, (one.scope, used, ends)))
        line = f"{clean(one.member)} ({one.token}): {told}"
        yield terminal.style(line, "dim") if one.revoked_at else line


def _agreement(value: Synced) -> Iterator[str]:
    if value.agreed:
        yield f"In sync: both sides have the same {plural(value.versions, 'version')}, as their hashes prove."
    elif value.action == "now":
        yield "Not in sync: something is not on both sides yet."
    elif value.waiting:
        yield f"{plural(value.waiting, 'change')} of this machine not sent yet."


def _state(value: Synced, terminal: Terminal) -> Iterator[str]:
    if value.action in {"setup", "join"}:
        yield from _agreement(value) if value.agreed else ()
        return
    yield f"{clean(value.way)}, as {clean(value.me)}"
    yield f"  {plural(value.records, 'record')} in {plural(value.versions, 'version')}; {value.strategy}"
    yield f"  last synchronised: {f'{value.last:%Y-%m-%d %H:%M} UTC' if value.last else 'never'}"
    if value.waiting:
        yield f"  {plural(value.waiting, 'change')} not sent yet: recortex sync now"
    if value.error:
        again = f"; tried again after {value.next_try:%H:%M} UTC" if value.next_try else ""
        yield terminal.style(f"  the last sync failed: {clean(value.error)}{again}", "red")
    yield ""
    yield terminal.style("Members", "bold")
    yield from map(_member, value.members)
    for record, who in value.unacknowledged:
        yield f"  {clean(who)} has not confirmed yet that {record[:8]} was purged"


def _member(one: Teammate) -> str:
    told = [f"{plural(one.versions, 'version')}"]
    if one.own:
        told.append("this machine")
    elif one.behind is None:
        told.append("has not synchronised yet")
    elif one.behind:
        told.append(f"{plural(one.behind, 'version')} behind")
    if one.ahead_days:
        told.append(f"its clock is {plural(one.ahead_days, 'day')} ahead")
    if not one.trusted:
        told.append(f"not shown: somebody else has that name; recortex sync trust {one.replica}")
    return f"  {clean(one.name)} ({one.replica}): {', '.join(told)}"


def _conflict(one: SyncConflict, terminal: Terminal) -> Iterator[str]:
    yield ""
    yield terminal.style(f"{one.id[:8]} was changed by two people at once", "bold")
    for side in one.sides:
        mark = "shown" if side.shown else "kept "
        said = f"{mark} {side.version}  {clean(side.author)}, {side.at:%Y-%m-%d %H:%M}"
        yield f"  {said}, {side.status}"
        yield terminal.wrap(clean(side.text), indent=4)
        if side.ahead_days:
            ahead = f"this clock is {plural(side.ahead_days, 'day')} ahead: it may not be the later one"
            yield terminal.style(f"    {ahead}", "yellow")
    other = next((side.version for side in one.sides if not side.shown), "")
    yield f"  Keep the other one: recortex sync resolve {one.id[:8]} --keep {other}"
