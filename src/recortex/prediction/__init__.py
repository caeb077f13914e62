"""Prediction: what a session will probably need next, worked out after each turn."""

from recortex.plugins import Capability

CAPABILITY = Capability(
    operations=("recortex.prediction.operations:PredictionOperations",),
    jobs=("recortex.prediction.engine:JOBS",),
    renderers={
        "Prediction": "recortex.prediction.operations:prediction",
        "Preloaded": "recortex.prediction.operations:preloaded",
    },
)
