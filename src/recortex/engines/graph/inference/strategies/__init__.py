"""The specification's six signals by their weights; each is 0 to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.graph.inference.strategies.entity_overlap import entity_overlap
from recortex.engines.graph.inference.strategies.explicit_reference import explicit_reference
from recortex.engines.graph.inference.strategies.file_co_occurrence import file_co_occurrence
from recortex.engines.graph.inference.strategies.pattern_matching import pattern_matching
from recortex.engines.graph.inference.strategies.semantic_similarity import semantic_similarity
from recortex.engines.graph.inference.strategies.temporal_proximity import temporal_proximity

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.engines.graph.inference.facts import Pair

STRATEGIES: dict[Callable[[Pair], float], float] = {
    temporal_proximity: 0.2,
    semantic_similarity: 0.3,
    entity_overlap: 0.25,
    explicit_reference: 0.4,
    pattern_matching: 0.15,
    file_co_occurrence: 0.1,
}
