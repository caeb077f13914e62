"""A question while it is asked of a store: what is known of it, and its vector, which is made meanwhile."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.decay.present import remaining
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from recortex.domain.explanation import Recipe
    from recortex.domain.search import Facts
    from recortex.engines.indexing.vectors import QuestionVector
    from recortex.engines.retrieval.question import Question
    from recortex.engines.retrieval.vocabulary import Vocabulary


class InPlay(NamedTuple):
    """What is being worked on: memories about it count more.

    Attributes:
        files: paths that are in view.
        patterns: ids of code patterns that matter.
    """

    files: tuple[str, ...] = ()
    patterns: frozenset[str] = frozenset()


NOTHING_IN_PLAY = InPlay()


class Meaning:
    """A question as one store takes it; its vector is waited for when it is used.

    Attributes:
        asked: the question's parts.
        vocabulary: its words in the store.
        in_play: what is being worked on.
        model: the embedder that was asked for the vector; None where the question gets none.

    Args:
        made: waits for the vector, and raises `EmbeddingError` where none could be made.
    """

    def __init__(
        self,
        asked: Question,
        vocabulary: Vocabulary,
        in_play: InPlay = NOTHING_IN_PLAY,
        *,
        model: str | None = None,
        made: Callable[[], QuestionVector | None] | None = None,
    ) -> None:
        self.asked, self.vocabulary, self.in_play = asked, vocabulary, in_play
        self.model, self._made = model, made

    @property
    def vector(self) -> QuestionVector | None:
        """None where it has none."""
        return self._result[0]

    def with_vector_of(self, other: Meaning) -> Meaning:
        """The same with the vector of the question as another store takes it."""
        return Meaning(
            self.asked, self.vocabulary, self.in_play, model=other.model, made=lambda: other.vector
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """On what could not be used."""
        return self._result[1]

    @cached_property
    def _result(self) -> tuple[QuestionVector | None, tuple[str, ...]]:
        try:
            return (self._made() if self._made else None), ()
        except EmbeddingError as error:
            return None, (f"no vectors: {error.message}",)


class Search:
    """A question during its recall.

    Attributes:
        meaning: the question.
        gathering: how many candidates are looked for.
        now: microseconds since 1970 UTC.

    Args:
        fades: whether confidence counts as decayed until now.
    """

    def __init__(self, meaning: Meaning, gathering: Gathering, now: int, *, fades: bool) -> None:
        self.meaning, self.gathering, self.now, self._fades = meaning, gathering, now, fades
        self.asked, self.vocabulary = meaning.asked, meaning.vocabulary
        self._confidence: dict[int, float] = {}

    @property
    def vector(self) -> QuestionVector | None:
        """The question's vector, which is waited for."""
        return self.meaning.vector

    def fade(self, facts: Iterable[Facts]) -> Mapping[int, float]:
        """The confidence of candidates, each computed once; none where it counts as stored."""
        known = self._confidence
        if self._fades:
            known.update((one.key, remaining(one, self.now)) for one in facts if one.key not in known)
        return known


# -- search recipes: how many candidates words and vectors give


class Gathering(NamedTuple):
    """How many candidates the keyword index and the vector index give; 0 leaves one out."""

    words: int
    vectors: int


RECIPES: Mapping[Recipe, Gathering] = {
    # 150 and 128 find 0.1 points more of LoCoMo and CoSQA and take a fifth longer (bench/retrieval.py).
    "hybrid": Gathering(words=100, vectors=90),
    "keyword": Gathering(words=150, vectors=0),
    "semantic": Gathering(words=0, vectors=128),
    "frame": Gathering(words=100, vectors=90),
}
