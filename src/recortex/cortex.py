"""The facade: everything that Recortex can do, as methods of one object."""

from __future__ import annotations

from recortex.operations.aging import Aging
from recortex.operations.consolidating import Consolidating
from recortex.operations.describing import Describing
from recortex.operations.exchange import Exchange
from recortex.operations.graphing import Graphing
from recortex.operations.indexing import Indexing
from recortex.operations.inspecting import Inspecting
from recortex.operations.installing import Installing
from recortex.operations.keeping import Keeping
from recortex.operations.learning import Learning
from recortex.operations.linking import Linking
from recortex.operations.maintaining import Maintaining
from recortex.operations.moving import Moving
from recortex.operations.projects import Projects
from recortex.operations.recording import Recording
from recortex.operations.searching import Searching
from recortex.operations.surfacing import Surfacing
from recortex.operations.upkeep import Upkeep


class Cortex(
    Recording,
    Searching,
    Linking,
    Learning,
    Exchange,
    Keeping,
    Consolidating,
    Describing,
    Indexing,
    Inspecting,
    Aging,
    Graphing,
    Surfacing,
    Projects,
    Upkeep,
    Maintaining,
    Moving,
    Installing,
):
    """A project's memory, opened; use it in a `with` statement.

    Each operation is a method with the same name and parameters as its verb on the command line and its tool.
    """
