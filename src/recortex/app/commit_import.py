"""Learns from the messages of a project's commits, from where the last import ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.app.application import is_own, mark_of
from recortex.app.projects import shown
from recortex.codebase.git import OLDEST_GIT, git_folders, has_reftables, leads_elsewhere
from recortex.codebase.line_history import history
from recortex.deadlines import within
from recortex.domain.maintenance import Checkpoint
from recortex.domain.memory import FileLink, Memory, Relation
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, RelationType, Status
from recortex.engines.commits import (
    NOTED,
    RULE,
    TAKEN,
    Told,
    draft_of,
    key_of,
    read_commit,
    read_message,
    thing,
    things_taken,
)
from recortex.engines.privacy import Draft, redact
from recortex.engines.supersession import authority_of
from recortex.errors import CausalCycleError, InvalidInputError, RecortexError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import Application, StoreServices
    from recortex.codebase.line_history import CommitHistory as History
    from recortex.domain.code import Commit


CLIENT = "git"
"""What the checkpoint of a history says it is of."""
# A commit's message is text that others wrote, and a pattern may be slow on it.
SECONDS = 2.0
"""For the message of one commit; one that takes longer is left out, and told."""
# As many as git shows at least: fewer name several commits.
_SHORTEST = 7
"""Signs of a hash by which a commit is named."""
_GONE = "gone"
_LIVING = (Status.ACTIVE, Status.PROPOSED, Status.QUARANTINED)


class Found(NamedTuple):
    """A commit that tells something, and the memory that it is to become."""

    commit: Commit
    told: Told
    draft: Draft


@dataclass(slots=True)
class Outcome:
    """What became of the commits; `read` is the sum of added, merged, unchanged and skipped.

    Attributes:
        ended: memories whose commit is no longer in the history.
        replaced: decisions that a later commit gave up.
        cut: there are more commits, which were not read.
    """

    read: int = 0
    added: int = 0
    merged: int = 0
    unchanged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    ended: int = 0
    replaced: int = 0
    relations: int = 0
    cut: bool = False
    problems: list[str] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)


class CommitImport:
    """One import of a project's history.

    Args:
        app: the opened application.
        services: the project's store.
        held: an agent asks for it: what is new waits in quarantine, and nothing known is changed.
        dry_run: only look.
    """

    def __init__(self, app: Application, services: StoreServices, *, held: bool, dry_run: bool) -> None:
        self._app, self._services = app, services
        self._held, self._dry_run = held, dry_run
        self._now = app.clock()
        self._mark = mark_of(services)
        self._place = f"{CLIENT}:{shown(str(app.root))}"
        self._by_key: dict[tuple[int, str], Memory] = {}
        self._by_hash: dict[str, Memory] = {}
        self._told: dict[str, Told] = {}
        self.done = Outcome()

    def run(self, *, since: datetime | None, limit: int, afresh: bool) -> Outcome:
        """Read the commits that are new, or all of them.

        Args:
            since: only those that were committed later; no place is remembered then.
            limit: at most so many, the latest.
            afresh: also those that were read before.

        Raises:
            InvalidInputError: there is no history.
        """
        known = self._services.store.ledger.checkpoint(self._place)
        again = afresh or since is not None or known is None or known.turns < limit
        head = known.session_id if known and not again else ""
        read = history(self._app.root, known=head, limit=limit, since=since)
        if not read.head:
            raise _no_history(self._app.root)
        # Look up the memories that were made of commits.
        query = MemoryQuery(statuses=(), origins=(Origin.REPOSITORY,), descending=False)
        for one in self._services.store.memories.find(query):
            key = key_of(one.metadata.get(NOTED))
            # A store may hold the memories of several projects.
            own = one.source.rule.startswith(RULE) and is_own(one.metadata.get(NOTED, {}), self._mark)
            if key and own:
                self._by_key[key] = self._by_hash[one.source.commit] = one
        found = list(self._found(read.commits))
        self.done.cut = read.cut
        with self._services.store.transaction():
            self._keep(found)
            if not (self._dry_run or self._held):
                self._relate()
                # A history that was continued has only the new commits: what is missing in it is not gone.
                if not read.continued and since is None:
                    self._put_away(read)
                if since is None:
                    self._services.store.ledger.save_checkpoint(self._checkpoint(read, limit))
        return self.done

    def _checkpoint(self, read: History, limit: int) -> Checkpoint:
        """Up to which commit was read, and how far back at most."""
        return Checkpoint(
            path=self._place,
            session_id=read.head,
            client=CLIENT,
            position=len(read.commits),
            turns=limit,
            extracted_at=self._now,
        )

    def _found(self, commits: Sequence[Commit]) -> Iterator[Found]:
        for number, commit in enumerate(commits, 1):
            self.done.read += 1
            if number % 200 == 0 or number == len(commits):
                self._app.progress("reading commits", number, len(commits))
            try:
                with within(SECONDS):
                    message = read_message(commit)
                    told = read_commit(commit, message)
            except TimeoutError:
                told = f"reading it took longer than {SECONDS:.0f} s"
                self.done.problems.append(f"{commit.hash[:12]}: left out: {told}")
            if not isinstance(told, Told):
                self.done.skipped[told] += 1
                continue
            there = (
                path for path in commit.files if (self._app.root / path).is_file() and shown(path) == path
            )
            draft = draft_of(commit, message, told, [FileLink(path, commit=commit.hash) for path in there])
            if told.form == "revert" and not (told.cause or told.prose or self._remembered(told)):
                self.done.skipped["a revert without a reason"] += 1
                continue
            self._told[commit.hash] = told
            yield Found(commit, told, draft)

    def _remembered(self, told: Told) -> bool:
        """Whether a commit that one names tells something: it came earlier, so it was read by now."""
        return any(
            self._named(hash_) or any(one.startswith(hash_) for one in self._told) for hash_, _ in told.others
        )

    def _keep(self, found: Sequence[Found]) -> None:
        new: list[Found] = []
        for one in found:
            # By hash first, then by what it says: a rewritten commit has another hash.
            memory = self._by_hash.get(one.commit.hash) or self._by_key.get(_key(one.draft))
            if memory is None:
                new.append(one)
            else:
                self.done.unchanged += 1
                self._again(one, memory)
        self.done.drafts = [one.draft for one in new]
        if self._dry_run:
            self.done.added = len(new)
            return
        for one in new:
            self._add(one)

    def _add(self, one: Found) -> None:
        held = {"held": True} if self._held else {}
        noted = {**one.draft.metadata[NOTED], **self._mark, **held}
        status = Status.QUARANTINED if self._held else one.draft.status
        draft = replace(one.draft, status=status, metadata={NOTED: noted})
        try:
            (kept,) = self._services.ingestion.keep([draft], now=self._now, actor=Actor.IMPORT, link=False)
        except RecortexError as error:
            self.done.skipped["it cannot be kept"] += 1
            self.done.problems.append(f"{one.commit.hash[:12]}: {error.message}")
            return
        self.done.added += kept.added
        self.done.merged += not kept.added
        self._by_hash[one.commit.hash] = kept.memory
        if kept.added:
            self.done.memories.append(kept.memory)

    def _again(self, one: Found, memory: Memory) -> None:
        """Let a memory follow its commit: rewritten under another hash, back in the history, or let go."""
        if self._dry_run or self._held:
            return
        was = memory.metadata[NOTED]
        new = memory
        if memory.source.commit != one.commit.hash:
            files = tuple(
                replace(link, commit=one.commit.hash) if link.commit == memory.source.commit else link
                for link in memory.files
            )
            new = replace(new, source=replace(new.source, commit=one.commit.hash), files=files)
        if was.get(_GONE) or was.get("held"):
            rest = {name: value for name, value in was.items() if name not in {_GONE, "held"}}
            back = memory.status in {Status.ARCHIVED, Status.QUARANTINED}
            status = (one.draft.status or Status.ACTIVE) if back else memory.status
            new = replace(new, status=status, metadata={**memory.metadata, NOTED: rest})
        if new != memory:
            new = self._changed(memory, new, "its commit was written anew")
        self._by_hash.pop(memory.source.commit, None)
        self._by_hash[one.commit.hash] = new

    def _changed(self, old: Memory, new: Memory, reason: str) -> Memory:
        return self._services.ingestion.change(
            old, new, now=self._now, actor=Actor.IMPORT, operation="reread", reason=reason
        )

    def _put_away(self, read: History) -> None:
        """Archive what was learned of commits that the history no longer has."""
        hashes = {one.hash for one in read.commits}
        oldest = min((one.at for one in read.commits), default=self._now)
        for hash_, memory in list(self._by_hash.items()):
            gone = hash_ not in hashes and memory.source.commit == hash_ and memory.status in _LIVING
            # Where the history was cut, only what is younger than its end is known to be gone.
            if gone and (not read.cut or memory.valid_from > oldest):
                was = {**memory.metadata[NOTED], _GONE: True}
                new = replace(memory, status=Status.ARCHIVED, metadata={**memory.metadata, NOTED: was})
                self._changed(memory, new, "its commit is no longer in the history")
                self.done.ended += 1

    def _named(self, hash_: str) -> Memory | None:
        """The memory of the one commit whose hash begins so."""
        if hash_ in self._by_hash:
            return self._by_hash[hash_]
        found = [one for name, one in self._by_hash.items() if name.startswith(hash_)]
        # A shorter beginning, or one of several commits, names none for certain.
        return found[0] if len({one.id for one in found}) == 1 and len(hash_) >= _SHORTEST else None

    def _relate(self) -> None:
        """Relate what was just read to the commits that it names, and to the decisions that it replaces."""
        taken: dict[str, Memory] = {}
        for known in sorted(self._by_hash.values(), key=lambda one: one.valid_from):
            if known.source.commit not in self._told and known.status is Status.ACTIVE:
                taken |= dict.fromkeys(known.metadata.get(NOTED, {}).get(TAKEN, ()), known)
        for hash_, told in self._told.items():
            memory = self._by_hash.get(hash_)
            if memory is None:
                continue
            for other, sentence in told.others:
                if (named := self._named(other)) and named.id != memory.id:
                    if told.form == "revert":
                        self._put(
                            Relation(
                                named.id,
                                memory.id,
                                RelationType.CAUSED,
                                self._now,
                                evidence=_redact_sentence(sentence),
                            )
                        )
                        self._end(memory, named, "reverted")
                    else:
                        self._put(
                            Relation(
                                memory.id,
                                named.id,
                                RelationType.TRIGGERED_BY,
                                self._now,
                                evidence=_redact_sentence(sentence),
                            )
                        )
            self._replace(memory, told, taken)

    def _replace(self, memory: Memory, told: Told, taken: dict[str, Memory]) -> None:
        """End the decision that this one replaces: it took what this one gives up, or has the same topic."""
        if told.form != "decision" or memory.status is not Status.ACTIVE:
            return
        own = things_taken(told)
        for name in filter(None, (thing(told.old), *(one for one in own if told.topic))):
            earlier = taken.pop(name, None)
            if earlier is not None and earlier.id != memory.id and earlier.valid_from <= memory.valid_from:
                self._end(memory, earlier, f"a later decision on {name}")
        taken |= dict.fromkeys(own, memory)

    def _end(self, new: Memory, old: Memory, why: str) -> None:
        store = self._services.store
        current = {one.id: one for one in store.memories.get([new.id, old.id])}
        standing = current.get(old.id)
        if (
            standing is None
            or standing.kind == "incident"
            or standing.pinned
            or standing.status is not Status.ACTIVE
        ):
            return
        if authority_of(current[new.id]) < authority_of(standing) or self._is_persons(standing):
            return
        self._services.ingestion.supersede(
            current[new.id], standing, now=self._now, actor=Actor.IMPORT, why=why
        )
        self.done.replaced += 1

    def _is_persons(self, memory: Memory) -> bool:
        """Whether the person made a commit's decision their own, as by an edit or a confirmation."""
        store = self._services.store
        changed = (one.changed_by for one in store.memories.history(memory.id))
        return Actor.USER in changed or any(
            one.actor is Actor.USER and one.operation not in _NO_WORD
            for one in store.ledger.entries(memory.id)
        )

    def _put(self, relation: Relation) -> None:
        """Keep a relation, unless it is there, or would make a memory its own cause."""
        relations = self._services.store.relations
        ends = (relation.source_id, relation.target_id, relation.type)
        if any(
            (one.source_id, one.target_id, one.type) == ends
            for one in relations.find_touching([relation.source_id])
        ):
            return
        try:
            self.done.relations += relations.put(relation)
        except CausalCycleError as error:
            self.done.problems.append(f"a relation was left out: {error.message}")


_NO_WORD = frozenset(("link", "unlink", "embed"))
"""What a person does with a memory without saying that it holds."""


def _no_history(root: Path) -> InvalidInputError:
    """Why no commit of a working tree can be read."""
    own, common = git_folders(root)
    if leads_elsewhere(root):
        return InvalidInputError(
            "The `.git` of this folder leads to a repository that does not point back to it; its commits are "
            "not read.",
            hint="Work in that repository itself, or make a worktree of it: `git worktree add`.",
        )
    if has_reftables(own, common):
        return InvalidInputError(
            "This repository keeps its refs in reftables, which the git program here cannot read.",
            hint=f"Install git {OLDEST_GIT} or later.",
        )
    return InvalidInputError("There is no git history here.", hint="Work in a repository that has commits.")


def _key(draft: Draft) -> Any:
    return key_of(draft.metadata.get(NOTED))


def _redact_sentence(sentence: str) -> tuple[str, ...]:
    return (redact(sentence).text,)
