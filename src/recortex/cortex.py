"""The facade: everything that Recortex can do, as methods of one object."""

from __future__ import annotations

from recortex.operations.advising import AdviceOperations
from recortex.operations.brief import BriefOperations
from recortex.operations.browsing import BrowseOperations
from recortex.operations.code import CodeOperations
from recortex.operations.consequences import ConsequenceOperations
from recortex.operations.consolidating import ConsolidationOperations
from recortex.operations.context import ContextOperations
from recortex.operations.conventions import ConventionOperations
from recortex.operations.correcting import CorrectionOperations
from recortex.operations.documents import DocumentOperations
from recortex.operations.erasing import ErasureOperations
from recortex.operations.explaining import ExplanationOperations
from recortex.operations.exporting import ExportOperations
from recortex.operations.frames import FrameOperations
from recortex.operations.garbage_collection import GarbageCollectionOperations
from recortex.operations.generating import GenerationOperations
from recortex.operations.graphing import GraphOperations
from recortex.operations.history import HistoryOperations
from recortex.operations.indexing import IndexingOperations
from recortex.operations.inferring import InferenceOperations
from recortex.operations.inspecting import InspectionOperations
from recortex.operations.installing import InstallationOperations
from recortex.operations.kinds import KindOperations
from recortex.operations.learning import LearningOperations
from recortex.operations.lifecycle import LifecycleOperations
from recortex.operations.linking import LinkOperations
from recortex.operations.maintenance import MaintenanceOperations
from recortex.operations.moving import MovingOperations
from recortex.operations.projects import ProjectOperations
from recortex.operations.reasoning import ReasonOperations
from recortex.operations.recording import RecordingOperations
from recortex.operations.replaying import ReplayOperations
from recortex.operations.reviewing import ReviewOperations
from recortex.operations.searching import SearchOperations
from recortex.operations.sessions import SessionOperations
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
