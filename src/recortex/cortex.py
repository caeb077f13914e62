"""The facade: everything that Recortex can do, as methods of one object."""

from __future__ import annotations

from recortex.operations.brief import BriefOperations
from recortex.operations.collection import CollectionOperations
from recortex.operations.consolidating import Consolidating
from recortex.operations.exchange import Exchange
from recortex.operations.graphing import Graphing
from recortex.operations.history import HistoryOperations
from recortex.operations.indexing import Indexing
from recortex.operations.inspecting import Inspecting
from recortex.operations.installing import Installing
from recortex.operations.kinds import KindOperations
from recortex.operations.learning import Learning
from recortex.operations.lifecycle import LifecycleOperations
from recortex.operations.linking import Linking
from recortex.operations.maintenance import MaintenanceOperations
from recortex.operations.moving import Moving
from recortex.operations.projects import Projects
from recortex.operations.recording import Recording
from recortex.operations.searching import Searching


class Cortex(
    Recording,
    Searching,
    Linking,
    Learning,
    Exchange,
    HistoryOperations,
    Consolidating,
    KindOperations,
    Indexing,
    Inspecting,
    LifecycleOperations,
    Graphing,
    BriefOperations,
    Projects,
    MaintenanceOperations,
    CollectionOperations,
    Moving,
    Installing,
):
    """A project's memory, opened; use it in a `with` statement.

    Each operation is a method with the same name and parameters as its verb on the command line and its tool.
    """
