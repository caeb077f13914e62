"""Replicas of a team in one process: stores of their own, and a transport that keeps what is pushed."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from recortex import Cortex
from recortex.domain.vocabulary import Actor, Scope
from recortex.lean import replace
from recortex.sync.exchange import synchronise
from recortex.sync.protocol import Batch, OfflineError, Reply, add_to_hash, missing, settle
from recortex.sync.team import Team

START = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass
class Meeting:
    """A transport in memory; `drawn` decides what is lost, cut and repeated."""

    name: str = "meeting"
    team: str = "team"
    versions: dict = field(default_factory=dict)
    cards: dict = field(default_factory=dict)
    applied: dict = field(default_factory=dict)
    limit: int = 10_000
    offline: bool = False

    @property
    def vector(self):
        return {replica: len(found) for replica, found in self.versions.items()}

    @property
    def set_hash(self):
        return add_to_hash("", [one for found in self.versions.values() for one in found])

    def push(self, batch):
        if self.offline:
            raise OfflineError("There is no network.")
        there = [*batch.versions, *batch.purges, *(one for found in self.versions.values() for one in found)]
        purged = {one.memory_id for one in there if one.operation == "purge"}
        assert all(one.body or one.memory_id in purged for one in batch.versions)  # as a server demands
        for one in missing(batch.versions, self.vector)[: self.limit]:
            self.versions.setdefault(one.replica, []).append(one)
        self.cards |= {one.replica: one for one in batch.cards}
        self.applied |= {one.replica: one for one in batch.applied}
        return Reply(vector=self.vector, set_hash=self.set_hash)

    def pull(self, vector, limit):
        if self.offline:
            raise OfflineError("There is no network.")
        new = [one for replica, found in self.versions.items() for one in found[vector.get(replica, 0) :]]
        some = new[: min(limit, self.limit)]
        hollow = {one.memory_id for one in some if one.body is None}
        return Batch(
            workspace=self.team,
            versions=tuple(some),
            vector=self.vector,
            set_hash=self.set_hash,
            purges=tuple(
                one
                for found in self.versions.values()
                for one in found
                if one.operation == "purge" and one.memory_id in hollow
            ),
            cards=tuple(self.cards.values()),
            applied=tuple(self.applied.values()),
            more=len(some) < len(new),
        )


class Person:
    """Somebody with a store in a file, or on a server, who syncs by hand."""

    def __init__(self, folder, name, *, url=None, offset=timedelta(0), strategy="last-write-wins", now=START):
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.strategy = name, strategy
        self.now, self._offset = now, offset
        self.cortex = Cortex.open(folder, url=url or f"sqlite:///{folder}/store.db", clock=self.clock)
        self.services = self.cortex._app.services(Scope.PROJECT)
        self.store = self.services.store
        self.team.join("git nowhere", "team", name)

    def clock(self):
        self.now += timedelta(milliseconds=7)
        return self.now + self._offset

    @property
    def team(self):
        return Team(self.services, self.clock())

    @property
    def log(self):
        return self.team.log

    def replica(self):
        replica = self.team.replica()
        replica._strategy = self.strategy
        return replica

    def sync(self, transport, **way):
        team = self.team
        return synchronise(self.replica(), transport, now=self.clock(), renewed=team._renewed, **way)

    def shares(self, *, on=True):
        """Share what is said in this person's sessions."""
        self.services.settings = self.services.settings.with_values({"sync.exchanges": on})

    def remember(self, text, **more):
        return self.cortex.remember(text, kind="decision", **more).id

    def change(self, memory, *, actor=Actor.USER, **fields):
        """Let a memory be as `fields` say."""
        new = replace(memory, **fields)
        return self.services.ingestion.change(memory, new, now=self.clock(), actor=actor, operation="update")

    def texts(self):
        return sorted(one.text for one in self.cortex.list(limit=1000).memories)

    def heads(self):
        """What is shown of each record, by the version's id; without how far a store has looked."""
        rows = self.log._database.rows(
            "SELECT record, head FROM sync_heads x WHERE /*own x*/ x.record NOT IN ('exchange:', 'copy:')"
        )
        return dict(rows)

    def ids(self):
        """The ids of all versions, with who wrote them under which number."""
        rows = self.log._database.rows(
            "SELECT replica, counter, id, body IS NULL FROM sync_log x WHERE /*own x*/ 1 = 1"
        )
        return set(rows)

    def holds(self, record):
        return settle(self.log.of_records([record])[record], "last-write-wins", self.name)

    def close(self):
        self.cortex.close()
