"""What happens by itself: the job `sync` after a session, and what `review` tells of conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.jobs import Job, Outcome
from recortex.domain.maintenance import Degradation
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Scope
from recortex.sync.protocol import RunningError, SyncError
from recortex.sync.records import COMPONENT, REPOSITORY, SyncRecords
from recortex.terminal import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.application import Application, StoreServices
    from recortex.app.jobs import Work
    from recortex.operations.reviewing import Undecided

_MINUTE = 60_000_000


def follow_team(work: Work) -> Outcome:
    """Send and fetch, unless that was done some minutes ago, or failed and has to wait."""
    log = work.services.store.records(SyncRecords)
    minutes = work.settings["sync.minutes"]
    if not minutes or not log.state().way:
        return Outcome({}, "the project does not sync in the background", "skipped")
    now = to_micros(work.now)
    for peer in log.peers():
        # A clock that was set back must not keep it waiting for ever.
        if now < peer.next_at <= now + 60 * _MINUTE:
            return Outcome({}, f"the last sync failed: {peer.error}", "skipped")
        if peer.synced_at and now - minutes * _MINUTE < peer.synced_at <= now:
            return Outcome({}, "it was done a few minutes ago", "skipped")
    from recortex.sync.team import Team  # most projects have none

    try:
        done = Team(work.services, work.now).exchange()
    except RunningError as running:
        return Outcome({}, running.message, "skipped")
    except SyncError as error:
        work.services.store.ledger.degrade(
            Degradation(COMPONENT, error.message, "what changed here waits"), work.now
        )
        return Outcome({}, error.message, "skipped")
    work.services.store.ledger.works_again(COMPONENT)
    return Outcome({"sent": done.sent, "received": done.received}, "; ".join(done.problems[:3]))


def before_purge(services: StoreServices) -> str:
    """Delete the copy of the team's branch, which holds the texts too: the next sync fetches it anew."""
    log = services.store.records(SyncRecords)
    if not log.state().way:
        return ""
    from recortex.sync.git_branch import CopyLeftError, delete  # most projects have no team

    team = "Your team still has it until the next sync: recortex sync now"
    try:
        delete(services.location.place(REPOSITORY))
    except CopyLeftError as error:
        with services.store.transaction():
            log.note_copy(left=True)
        return f"{error.message} {error.hint} {team}"
    return team


def undecided(app: Application, limit: int) -> Iterator[Undecided]:
    """The conflicts that nobody settled, for `review`."""
    for services in app.all_services(Scope.PROJECT):
        if not services.store.records(SyncRecords).open():
            continue
        from recortex.operations.reviewing import Undecided
        from recortex.sync.operations import conflicts_of
        from recortex.sync.team import Team

        for one in conflicts_of(Team(services, app.clock()), limit):
            other = next((side.version for side in one.sides if not side.shown), "")
            ahead = "".join(
                f"; {side.author}'s clock is {plural(side.ahead_days, 'day')} ahead, it may not be the later"
                for side in one.sides
                if side.ahead_days
            )
            people = " and ".join(side.author for side in one.sides)
            yield Undecided(
                id=one.id,
                what=f"{one.id[:8]} was changed by {people} at once{ahead}",
                choices=tuple(f"{side.author}: {side.text} ({side.status})" for side in one.sides),
                versions=tuple(side.version for side in one.sides),
                how=f"recortex sync resolve {one.id[:8]}, or with --keep {other} for the other version",
            )


JOBS = (Job(COMPONENT, follow_team, counts=("sent", "received")),)
