"""The facade: everything that Recortex can do, as methods of one object."""

from __future__ import annotations

from recortex.operations.advising import AdviceOperations, GenerationOperations
from recortex.operations.brief import BriefOperations
from recortex.operations.browsing import BrowseOperations
from recortex.operations.code import CodeOperations
from recortex.operations.consequences import ConsequenceOperations
from recortex.operations.consolidating import ConsolidationOperations
from recortex.operations.context import ContextOperations, FrameOperations
from recortex.operations.correcting import CorrectionOperations
from recortex.operations.documents import ConventionOperations, DocumentOperations
from recortex.operations.explaining import ExplanationOperations
from recortex.operations.exporting import ExportOperations
from recortex.operations.graphing import GraphOperations
from recortex.operations.history import ErasureOperations, HistoryOperations
from recortex.operations.indexing import IndexingOperations
from recortex.operations.inspecting import InspectionOperations
from recortex.operations.installing import InstallationOperations
from recortex.operations.kinds import KindOperations
from recortex.operations.learning import LearningOperations
from recortex.operations.lifecycle import GarbageCollectionOperations, LifecycleOperations
from recortex.operations.linking import LinkOperations
from recortex.operations.maintenance import MaintenanceOperations
from recortex.operations.moving import MovingOperations
from recortex.operations.projects import ProjectOperations
from recortex.operations.reasoning import InferenceOperations, ReasonOperations
from recortex.operations.recording import RecordingOperations
from recortex.operations.reviewing import ReviewOperations
from recortex.operations.searching import SearchOperations
from recortex.operations.sessions import ReplayOperations, SessionOperations
from recortex.operations.validating import ValidationOperations


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
):
    """A project's memory, opened; use it in a `with` statement.

    Each operation is a method with the same name and parameters as its verb on the command line and its tool.
    """
