"""Why something is as it is, why something is found, and what hangs on a memory."""

from recortex.plugins import Capability

CAPABILITY = Capability(
    operations=(
        "recortex.why.operations:ReasonOperations",
        "recortex.why.explaining:ExplanationOperations",
        "recortex.why.explaining:ConsequenceOperations",
    ),
    heading="Find",
)
