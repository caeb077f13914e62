"""Consolidation: memories that say the same become one, and what only looks the same stays apart."""

from recortex.plugins import Capability

CAPABILITY = Capability(
    operations=("recortex.consolidation.operations:ConsolidationOperations",),
    jobs=("recortex.consolidation.jobs:JOBS",),
)
