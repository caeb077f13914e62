"""The project's code: a map, symbols and calls, how it is written, and pieces of it that are kept."""

from recortex.plugins import Capability

CAPABILITY = Capability(
    operations=(
        "recortex.code.operations:PieceOperations",
        "recortex.code.operations:CodeOperations",
    ),
    heading="Code",
    jobs=("recortex.code.jobs:JOBS",),
    renderers={
        "Code": "recortex.code.operations:code",
    },
)
