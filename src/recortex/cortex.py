"""The facade: everything that Recortex can do, as methods of one object.

Each is imported when it is first asked for: a program that recalls does not load what imports histories.
Type checkers see the classes that declare them; `scripts/build_docs.py` keeps that list, in which every group
of operations is named, those of capabilities included.
"""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING

from recortex.operations.base import Later, Operations
from recortex.operations.manifest import groups

if TYPE_CHECKING:
    from recortex.code.operations import CodeOperations, PieceOperations
    from recortex.consolidation.operations import ConsolidationOperations
    from recortex.documents.operations import DocumentOperations
    from recortex.metrics.operations import MetricOperations
    from recortex.operations.advising import AdviceOperations, GenerationOperations
    from recortex.operations.browsing import BrowseOperations, GraphOperations, KindOperations, LinkOperations
    from recortex.operations.context import BriefOperations, ContextOperations, FrameOperations
    from recortex.operations.indexing import IndexingOperations, ModelOperations
    from recortex.operations.inspecting import InspectionOperations
    from recortex.operations.learning import LearningOperations
    from recortex.operations.maintenance import (
        GarbageCollectionOperations,
        LifecycleOperations,
        MaintenanceOperations,
    )
    from recortex.operations.moving import ExportOperations, MovingOperations
    from recortex.operations.projects import AccessOperations, InstallationOperations, ProjectOperations
    from recortex.operations.recording import CorrectionOperations, RecordingOperations
    from recortex.operations.reviewing import InferenceOperations, ReviewOperations, ValidationOperations
    from recortex.operations.searching import SearchOperations
    from recortex.operations.sessions import (
        ErasureOperations,
        HistoryOperations,
        ReplayOperations,
        SessionOperations,
    )
    from recortex.prediction.operations import PredictionOperations
    from recortex.sync.operations import SyncOperations
    from recortex.why.explaining import ConsequenceOperations, ExplanationOperations
    from recortex.why.operations import ReasonOperations

    class _Groups(
        RecordingOperations,
        SearchOperations,
        ExplanationOperations,
        ContextOperations,
        FrameOperations,
        AdviceOperations,
        GenerationOperations,
        BrowseOperations,
        SessionOperations,
        LinkOperations,
        LearningOperations,
        CorrectionOperations,
        ReplayOperations,
        ReviewOperations,
        ExportOperations,
        HistoryOperations,
        ErasureOperations,
        ConsolidationOperations,
        KindOperations,
        PieceOperations,
        IndexingOperations,
        CodeOperations,
        DocumentOperations,
        InspectionOperations,
        LifecycleOperations,
        ValidationOperations,
        GraphOperations,
        ReasonOperations,
        ConsequenceOperations,
        InferenceOperations,
        BriefOperations,
        ProjectOperations,
        MaintenanceOperations,
        GarbageCollectionOperations,
        MovingOperations,
        InstallationOperations,
        ModelOperations,
        MetricOperations,
        PredictionOperations,
        AccessOperations,
        SyncOperations,
    ):
        pass

else:
    _Groups = Operations


class Cortex(_Groups):
    """A project's memory, opened; use it in a `with` statement.

    Each operation is a method with the same name and parameters as its verb on the command line and its tool.
    """


for _group in groups():
    for _operation in _group["operations"]:
        _name = _operation["name"] + "_" * iskeyword(_operation["name"])
        setattr(Cortex, _name, Later(Cortex, _group["module"], _group["class"], _name))
