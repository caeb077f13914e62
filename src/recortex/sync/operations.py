"""A team's memory: sync."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from recortex.app.access import Right
from recortex.domain.maintenance import Degradation
from recortex.domain.text import from_micros, to_micros
from recortex.domain.vocabulary import Scope
from recortex.engines.privacy import is_clean, redact
from recortex.errors import InvalidInputError
from recortex.operations.base import Operations, bounded
from recortex.operations.registry import operation
from recortex.sync.bodies import RELATION
from recortex.sync.git_branch import GitBranch
from recortex.sync.protocol import Access, OfflineError, SyncError, by_id, ms_of, parse_body, settle
from recortex.sync.records import COMPONENT
from recortex.sync.team import GIT, Team
from recortex.terminal import clean, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.application import StoreServices
    from recortex.sync.exchange import Exchanged
    from recortex.sync.protocol import SyncVersion
    from recortex.sync.records import Head, Replica
    from recortex.terminal import Terminal

Action = Literal[
    "status", "now", "push", "pull", "conflicts", "resolve", "setup", "join", "trust", "leave",
    "invite", "revoke", "members",
]  # fmt: skip
_MOST_DAYS = 3_650
_DAY = 24 * 60 * 60 * 1000
AT_ONCE = 50
"""New memories get their vectors at once, so that they are found by their meaning; of more, the job makes
them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Teammate:
    """A replica of the team.

    Attributes:
        replica: its id, shortened.
        name: the person's.
        own: it is this store.
        trusted: what it says is shown here.
        versions: that it wrote, as far as is known here.
        behind: versions that it has not applied yet, as far as it said.
        ahead_days: by how many days its clock seems to be ahead.
    """

    replica: str
    name: str
    own: bool
    trusted: bool
    versions: int
    behind: int | None
    ahead_days: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the versions of a conflict.

    Attributes:
        version: its id, shortened; `resolve` takes it.
        author: who wrote it.
        at: when, by their clock.
        text: what it says.
        status: of the memory in it.
        shown: it is the one that the store shows.
        ahead_days: by how many days its clock is ahead of this machine's: it may not be the later one.
    """

    version: str
    author: str
    at: datetime
    text: str
    status: str
    shown: bool
    ahead_days: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncConflict:
    """A memory that two people changed at the same time; both versions are kept."""

    id: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """How the team's memory is synchronised.

    Attributes:
        way: over what; empty where the project does not sync.
        team: its id.
        new_team: it was made just now.
        made, sent, received: versions that were written here, handed over, and taken in.
        agreed: both sides have the same set of versions, which was compared; None: not looked at now.
        waiting: versions that the other side lacks, as far as is known here.
        versions, records: that are known here; records are not counted after a sync.
        last: when it last succeeded.
        error, next_try: why the last one failed, and when it is tried again in the background.
        unacknowledged: purged memories that not every replica has erased, with who has not.
        problems: what was refused or cannot be shown, and why.
        link: of an invitation, by which one machine joins; it is not kept and cannot be shown again.
        tokens: of the workspace on a team server, without their secrets.
    """

    action: Action
    way: str = ""
    team: str = ""
    me: str = ""
    new_team: bool = False
    made: int = 0
    sent: int = 0
    received: int = 0
    agreed: bool | None = None
    waiting: int = 0
    versions: int = 0
    records: int = 0
    last: datetime | None = None
    error: str = ""
    next_try: datetime | None = None
    strategy: str = ""
    members: tuple[Teammate, ...] = ()
    conflicts: tuple[SyncConflict, ...] = ()
    unacknowledged: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    link: str = ""
    tokens: tuple[Access, ...] = ()


class SyncOperations(Operations):
    """sync."""

    @operation(person=True)
    def sync(
        self,
        action: Action = "status",
        id: str = "",  # noqa: A002  the contract's name
        *,
        keep: str = "",
        name: str = "",
        limit: int = 20,
        right: Right = Right.WRITE,
        days: int = 90,
    ) -> Synced:
        """Share this project's memory with a team, over a branch of its git remote or a team server.

        `setup` makes the team's memory, or joins it; `join` follows a server's link; `now` sends and fetches;
        `status` shows how it is. Where two people changed the same memory, both versions are kept:
        `conflicts` lists them, `resolve` keeps one. Private, global and proposed memories stay here.

        Args:
            action: what to do.
            id: of `setup`, a git remote (origin) or a URL; of `join`, the link; of `resolve`, a memory; of
                `trust`, a replica; of `invite` and `revoke`, which admins of a server use, a person.
            keep: the version to keep in `resolve`; by default the one that is shown.
            name: your name in the team; by default the one that git knows.
            limit: most conflicts to list.
            right: of an invitation: read, write, or admin (also invites and revokes).
            days: for which an invitation's token is valid; 0: until it is revoked.
        """
        bounded(limit)
        services = self._app.services(Scope.PROJECT)
        team = Team(services, self._app.clock())
        match action:
            case "join" if id:
                team.follow(id)
                return self._exchanged(services, team, action)
            case "invite" | "revoke" | "members":
                return self._administered(team, action, id, right, days)
            case "setup" | "join":
                new = team.set_up(id or "origin", name)
                return self._exchanged(services, team, action, new_team=new)
            case "now" | "push" | "pull":
                return self._exchanged(services, team, action)
            case "trust":
                team.trust(id)
            case "leave":
                team.leave()
            case "resolve":
                self._resolve(services, team, id, keep)
        return self._report(services, team, action, limit)

    def _administered(self, team: Team, action: Action, person: str, right: Right, days: int) -> Synced:
        from recortex.sync import membership

        transport = team.transport()
        if isinstance(transport, GitBranch):
            raise InvalidInputError(
                "Only a team server has members to invite and to revoke.",
                hint="Whoever can reach the git remote runs there: recortex sync setup",
            )
        if action != "members" and not person.strip():
            raise InvalidInputError("Whom?", hint=f"Name the person: recortex sync {action} ben@example.com")
        if not 0 <= days <= _MOST_DAYS:
            raise InvalidInputError(f"The days must be from 0 to {_MOST_DAYS}, not {days}.")
        with transport:
            if action == "invite":
                link = membership.invite(transport, person.strip(), right, days)
                return Synced(action=action, way=transport.name, link=link)
            if action == "revoke":
                transport.ask("revoke", {"name": person.strip()})
            return Synced(action=action, way=transport.name, tokens=membership.accesses(transport))

    def _exchanged(
        self, services: StoreServices, team: Team, action: Action, *, new_team: bool = False
    ) -> Synced:
        try:
            done = team.exchange(pull=action != "push", push=action != "pull")
        except OfflineError as error:
            self._app.degraded(Degradation(COMPONENT, error.message, "what changed here waits"))
            raise
        self._app.works_again(COMPONENT)
        if done.received:
            pending = services.store.vectors.pending(AT_ONCE + 1)
            if len(pending) <= AT_ONCE:
                services.embedding.embed(services.store.memories.get(pending))
        return self._report(services, team, action, 0, done, new_team=new_team)

    def _report(
        self,
        services: StoreServices,
        team: Team,
        action: Action,
        limit: int,
        done: Exchanged | None = None,
        *,
        new_team: bool = False,
    ) -> Synced:
        state = team.state
        if not state.way:
            return Synced(action=action)
        peers = team.log.peers()
        peer = max(peers, key=lambda one: one.synced_at or 0, default=None)
        # To count all that the store has is for who asks how it is.
        versions, records = (sum(state.vector.values()), 0) if done else team.log.count()
        replicas = team.log.replicas()
        lacking = sum(
            max(number - (peer.vector.get(one, 0) if peer else 0), 0)
            for one, number in state.vector.items()
            if one == state.replica or state.way.startswith(GIT)  # a server takes from each its own
        )
        uncaptured = 0 if done else team.log.uncaptured(to_micros(team.now))
        return Synced(
            action=action,
            way=peer.peer if peer else state.way.removeprefix(GIT),
            team=state.team,
            me=state.author,
            new_team=new_team,
            made=done.made if done else 0,
            sent=done.sent if done else 0,
            received=done.received if done else 0,
            agreed=done.agreed if done else None,
            waiting=lacking + uncaptured,
            versions=versions,
            records=records,
            last=from_micros(peer.synced_at) if peer and peer.synced_at else None,
            error=peer.error if peer else "",
            next_try=from_micros(peer.next_at) if peer and peer.next_at else None,
            strategy=str(services.settings["sync.strategy"]),
            members=tuple(self._member(one, team) for one in replicas.values()),
            conflicts=conflicts_of(team, limit) if limit else (),
            unacknowledged=_unacknowledged(team, replicas, ask=action == "status"),
            problems=done.problems if done else (),
        )

    def _member(self, one: Replica, team: Team) -> Teammate:
        state, id_ = team.state, one.card.replica
        written = state.vector.get(id_, 0)
        applied = one.applied.vector if one.applied else None
        behind = None
        if applied is not None:
            behind = sum(max(number - applied.get(each, 0), 0) for each, number in state.vector.items())
        last = team.log.at(id_, written) if written else None
        return Teammate(
            replica=id_[:8],
            name=one.card.author,
            own=id_ == state.replica,
            trusted=one.trusted,
            versions=written,
            behind=behind,
            ahead_days=_days_ahead(last, self._app.clock()) if last else 0,
        )

    def _resolve(self, services: StoreServices, team: Team, wanted: str, keep: str) -> None:
        record = self._app.locate(wanted)[1].id if not wanted.startswith(RELATION) else wanted
        sides = team.log.of_records([record]).get(record, [])
        settled = settle(sides, "last-write-wins", team.state.author)
        if settled is None or not settled.conflict:
            raise InvalidInputError(
                f"The memory {record[:8]} is in no conflict.",
                hint="`recortex sync conflicts` lists those that are.",
            )
        head = team.log.heads([record])[record].head
        chosen = [one for one in settled.leaves if one.id.startswith(keep or head)]
        if len(chosen) != 1:
            raise InvalidInputError(
                f"No single version of that memory begins with {keep[:20]!r}.",
                hint=f"Its versions: {', '.join(one.id[:8] for one in settled.leaves)}",
            )
        team.replica().resolve(record, chosen[0])
        services.embedding.embed(services.store.memories.get([record]))


def conflicts_of(team: Team, limit: int) -> tuple[SyncConflict, ...]:
    """The conflicts of a store, each with its versions, the one that is shown first."""
    open_ = [one for one in team.log.open() if not one.record.startswith(RELATION)][:limit]
    versions = team.log.of_records(one.record for one in open_)
    found = [_conflict(one, versions.get(one.record, []), team) for one in open_]
    return tuple(one for one in found if one is not None)


def _conflict(head: Head, versions: list[SyncVersion], team: Team) -> SyncConflict | None:
    settled = settle(by_id(versions).values(), "last-write-wins", team.state.author)
    if settled is None or not settled.conflict:
        return None
    sides = sorted(
        (_side(one, team.now, shown=one.id == head.head) for one in settled.leaves),
        key=lambda one: not one.shown,
    )
    return SyncConflict(id=head.record, sides=tuple(sides))


def _side(version: SyncVersion, now: datetime, *, shown: bool) -> Side:
    body = parse_body(version.body) if version.body else {}
    text = str(body.get("text", ""))
    return Side(
        version=version.id[:8],
        author=version.author,
        at=from_micros(ms_of(version.clock) * 1000),
        text=text if is_clean(text) else redact(text).text,
        status=str(body.get("status", "")),
        shown=shown,
        ahead_days=_days_ahead(version, now),
    )


def _days_ahead(version: SyncVersion, now: datetime) -> int:
    """By how many days the clock of who wrote it was ahead, at least."""
    return max(ms_of(version.clock) - to_micros(now) // 1000, 0) // _DAY


def _unacknowledged(team: Team, replicas: dict[str, Replica], *, ask: bool) -> tuple[tuple[str, str], ...]:
    """Purges that somebody has not applied: the memory, and whose replica; a server knows that best."""
    if ask and not team.state.way.startswith(GIT):
        transport = team.transport()
        try:
            if not isinstance(transport, GitBranch):
                with transport:
                    return tuple(
                        (one.memory_id, f"{one.member} ({one.replica[:8]})")
                        for one in transport.waiting()
                        if one.replica != team.state.replica
                    )
        except SyncError:
            pass  # what is known here is told instead
    return tuple(
        (record, f"{one.card.author} ({id_[:8]})")
        for record, replica, counter in team.log.purges()
        for id_, one in replicas.items()
        if (one.applied.vector.get(replica, 0) if one.applied else 0) < counter and id_ != team.state.replica
    )


# -- how a team's memory is synchronised, for people


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
        yield from _conflict_lines(one, terminal)
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


def _conflict_lines(one: SyncConflict, terminal: Terminal) -> Iterator[str]:
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
