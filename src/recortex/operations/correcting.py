"""Learning from corrections, and from what a person says of a memory: learn, feedback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recortex.domain.correction import Answer, Learned
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.kinds.base import SUMMARY_CHARACTERS, shorten
from recortex.domain.memory import Memory, Source
from recortex.domain.spelled import AnyScope
from recortex.domain.vocabulary import Actor, Origin, RelationType, Scope, Status, priority_of
from recortex.engines.ingestion.draft import Draft
from recortex.engines.ingestion.output_redaction import all_output_redacted, output_redacted
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.operations import agents
from recortex.operations.base import Operations
from recortex.operations.drafts import file_links
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices
    from recortex.domain.correction import Factors, Learning
    from recortex.domain.relation import Relation
    from recortex.engines.extraction.principles import Taught
    from recortex.engines.ingestion.service import Kept

RULE = "correction"
MOST_QUOTED = 240
MOST_KEPT = 400
"""Characters of each of the two texts that are kept beside the memory."""
MOST_WORDS = 20_000
_OUTCOMES: dict[str, Learning] = {"added": "added", "merged": "updated", "known": "known"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A memory after a person said what they think of it.

    Attributes:
        confidence: before and after.
    """

    answer: Answer
    memory: Memory
    confidence: tuple[float, float]


class CorrectionOperations(Operations):
    """learn, feedback."""

    @operation(told=("text", "original", "corrected"))
    def learn(
        self,
        text: str = "",
        *,
        original: str = "",
        corrected: str = "",
        diff: str = "",
        did: str = "",
        files: Sequence[str] = (),
        scope: AnyScope = Scope.PROJECT,
        dry_run: bool = False,
    ) -> Learned:
        """Learn from a correction: the person's words, a text before and after, or a diff.

        It becomes one self-contained sentence with a category. What is already known is not added again.

        Args:
            text: what was wrong and what is right, in the person's words; a diff is recognised.
            original: the text as it was written.
            corrected: the text as corrected.
            diff: a unified diff instead.
            did: what was done wrong, in a few words.
            files: files it is about.
            scope: this project, or global.
            dry_run: only show what would be learned.
        """
        if len(text) > MOST_WORDS:
            raise InvalidInputError(
                f"The words have more than {MOST_WORDS:,} characters.", hint="Give the gist."
            )
        from recortex.engines.extraction.principles import taught as understood

        taught = self._worded(understood(text, original=original, corrected=corrected, diff=diff, did=did))
        services = self._app.services(scope)
        draft = self._drafted(taught, (original, corrected), files, Scope(scope))
        if dry_run:
            return self._would(services, draft, taught)
        (kept,) = services.ingestion.keep([draft], now=self._app.clock(), actor=self._app.actor, confirm=True)
        services.embedding.embed([kept.memory])
        if kept.added:
            from recortex.app.changes import settled

            kept = replace(kept, memory=settled(services, kept.memory, self._app.clock(), self._app.actor))
        relations = self._learned_from(services, kept)
        (memory,) = services.store.memories.get([kept.memory.id])
        return Learned(
            outcome=_OUTCOMES[kept.outcome],
            category=taught.category,
            principle=memory.text,
            memory=output_redacted(memory),
            difference=taught.difference,
            factors=self._factors(memory, draft.confidence),
            relations=tuple(relations),
            contradicted=_contradicted(services, memory),
        )

    @operation(told=("id", "answer", "text"))
    def feedback(
        self,
        id: str,  # noqa: A002  the contract's name
        answer: Answer,
        *,
        text: str = "",
        reason: str = "",
    ) -> Feedback:
        """Say whether a memory is right: confirm, reject or correct it.

        Args:
            id: the memory's id, or its first characters.
            answer: confirm: it is right; reject: put it away; modify: it should say `text`.
            text: what is right instead.
            reason: why.
        """
        services, old = self._app.locate(id)
        if (answer == "modify") != bool(text.strip()):
            said = "What is right?" if answer == "modify" else "Only `modify` takes a text."
            raise InvalidInputError(said, hint="recortex feedback ID modify --text 'what is right'")
        if old.status not in (Status.ACTIVE, *agents.WAITING):
            raise InvalidInputError(
                f"The memory {old.id} is {old.status.value}.", hint="`recortex restore ID` brings it back."
            )
        new = (
            self._by_agent(old, answer, text)
            if agents.limited(self._app)
            else self._by_person(services, old, answer, text)
        )
        kept = services.ingestion.change(
            old, new, now=self._app.clock(), actor=self._app.actor, operation="feedback",
            reason=reason or answer,
        )  # fmt: skip
        if text:
            services.embedding.embed([kept])
        return Feedback(answer=answer, memory=kept, confidence=(old.confidence, kept.confidence))

    def _by_person(self, services: StoreServices, old: Memory, answer: Answer, text: str) -> Memory:
        """What a person's word makes of a memory: sure, active and validated, or put away."""
        from recortex.app.validation import cited_anew
        from recortex.engines.reviewing.questions import answered
        from recortex.engines.validation.healing import approved

        sure = answered(old.confidence, answer)
        if answer == "reject":
            return replace(old, confidence=sure, status=Status.ARCHIVED)
        said = _reworded(old, text) if text else old
        holds = approved(said, cited_anew(services, old), self._app.clock())
        return replace(holds, confidence=sure, status=Status.ACTIVE)

    def _by_agent(self, old: Memory, answer: Answer, text: str) -> Memory:
        """An agent's word moves the confidence a little, as an outcome does; it validates nothing."""
        from recortex.engines.generation.shares import adjusted

        if answer == "modify":
            return agents.edited(self._app, old, _reworded(old, text))
        if agents.weighty(old):
            raise PersonNeededError("Only the person judges a global, pinned or critical memory.")
        return replace(
            old, confidence=adjusted(old.confidence, "accepted" if answer == "confirm" else "rejected")
        )

    def _worded(self, taught: Taught) -> Taught:
        """The correction as a language model words it, where one is set and its answer can stand."""
        adviser = self._app.adviser if taught.words else None
        better = adviser.principle(taught.words, taught.did, taught.principle) if adviser else None
        return replace(taught, principle=better.text, category=better.category) if better else taught

    def _drafted(self, taught: Taught, texts: tuple[str, str], files: Sequence[str], scope: Scope) -> Draft:
        from recortex.engines.corrections.difference import MADE, TAG

        made = MADE[taught.category]
        named = [*files, *(file for file in taught.difference.files if file not in files)]
        said = {"category": taught.category.value, "did": taught.did}
        said |= {
            name: shorten(one, MOST_KEPT) for name, one in zip(("original", "corrected"), texts, strict=True)
        }
        draft = Draft(
            kind=kind_of(made.kind),
            text=taught.principle,
            summary=shorten(taught.principle, SUMMARY_CHARACTERS),
            priority=priority_of(made.importance),
            confidence=taught.confidence,
            tags=(TAG, taught.category.value),
            files=file_links(self._app, named),
            source=Source(rule=RULE, quote=shorten(taught.words, MOST_QUOTED)),
            origin=Origin.AGENT if self._app.actor is Actor.AGENT else Origin.USER,
            scope=scope,
            metadata={"correction": {name: one for name, one in said.items() if one}},
        )
        return agents.held_back(self._app, draft, None)

    def _would(self, services: StoreServices, draft: Draft, taught: Taught) -> Learned:
        from recortex.engines.ingestion.normalisation import normalise
        from recortex.engines.similarity.jaccard import spellings

        memory = normalise(draft, id_="", now=self._app.clock(), count=self._app.count_tokens).memory
        same = services.store.memories.same(*spellings(memory.kind, memory.text))
        return Learned(
            outcome="updated" if same else "added",
            category=taught.category,
            principle=memory.text,
            memory=memory,
            difference=taught.difference,
            factors=self._factors(memory, draft.confidence),
            dry_run=True,
        )

    def _factors(self, memory: Memory, base: float) -> Factors:
        from recortex.engines.reviewing.questions import calibrated

        now = self._app.clock()
        age = now - (memory.last_accessed_at or memory.recorded_at)
        return calibrated(
            base,
            evidence=memory.evidence,
            accesses=memory.access_count,
            age_days=age.total_seconds() / 86_400,
            half_life_days=KINDS[memory.kind].half_life_days,
            validated=memory.validated_at is not None,
        )

    def _learned_from(self, services: StoreServices, kept: Kept) -> list[Relation]:
        """Relate a new correction to what it was learned from; returns the relations that were made."""
        from recortex.engines.corrections.difference import causes

        if not kept.added:
            return []
        memory, store = kept.memory, services.store
        near = [one for one in store.relations.of([memory.id]) if one.type is RelationType.RELATED]
        known = {one.id: one for one in store.memories.get([one.other(memory.id) for one in near])}
        pairs = [(one, known[one.other(memory.id)]) for one in near if one.other(memory.id) in known]
        replaced = store.memories.get([memory.supersedes]) if memory.supersedes else []
        made = list(causes(memory, pairs, replaced[0] if replaced else None, self._app.clock()))
        with store.transaction():
            return [one for one in made if store.relations.put_all([one])]


def _reworded(old: Memory, text: str) -> Memory:
    from recortex.codec import content_from_json, content_to_json

    content = content_from_json(old.kind, {**content_to_json(old.content), KINDS[old.kind].main: text})
    return replace(old, content=content, summary="")


def _contradicted(services: StoreServices, memory: Memory) -> tuple[Memory, ...]:
    found = services.store.relations.of([memory.id])
    ids = [one.other(memory.id) for one in found if one.type is RelationType.CONTRADICTS]
    known = services.store.memories.get(ids)
    return tuple(all_output_redacted([one for one in known if one.status is Status.ACTIVE]))
