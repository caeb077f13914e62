"""The facade: everything that Recortex can do, as methods of one object.

`scripts/build_docs.py` keeps its bases: every group of operations, those of capabilities included.
"""

from __future__ import annotations

from recortex.code.operations import CodeOperations, ConventionOperations, PieceOperations
from recortex.documents.operations import DocumentOperations
from recortex.operations.advising import AdviceOperations, GenerationOperations
from recortex.operations.browsing import BrowseOperations, GraphOperations, KindOperations, LinkOperations
from recortex.operations.context import BriefOperations, ContextOperations, FrameOperations
from recortex.operations.indexing import IndexingOperations
from recortex.operations.inferring import InferenceOperations
from recortex.operations.inspecting import InspectionOperations
from recortex.operations.learning import LearningOperations
from recortex.operations.maintenance import (
    GarbageCollectionOperations,
    LifecycleOperations,
    MaintenanceOperations,
)
from recortex.operations.models import ModelOperations
from recortex.operations.moving import ExportOperations, MovingOperations
from recortex.operations.projects import InstallationOperations, ProjectOperations
from recortex.operations.recording import CorrectionOperations, RecordingOperations
from recortex.operations.reviewing import ConsolidationOperations, ReviewOperations, ValidationOperations
from recortex.operations.searching import SearchOperations
from recortex.operations.sessions import (
    ErasureOperations,
    HistoryOperations,
    ReplayOperations,
    SessionOperations,
)
from recortex.why.explaining import ConsequenceOperations, ExplanationOperations
from recortex.why.operations import ReasonOperations


class Cortex(
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
    ConventionOperations,
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
):
    """A project's memory, opened; use it in a `with` statement.

    Each operation is a method with the same name and parameters as its verb on the command line and its tool.
    """
