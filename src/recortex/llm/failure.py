"""Why a call of the language model got no answer."""

from __future__ import annotations

from recortex.transport.failure import PostError


class CallError(PostError):
    """A call of the language model got no answer."""

    code = "model_unavailable"
    hint = "What was learned by rules stays; `recortex status` shows the calls."
