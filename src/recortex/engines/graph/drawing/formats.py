"""The formats that a picture is drawn in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.graph.drawing import dot, graphml, mermaid, svg

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.domain.reasons import PictureFormat
    from recortex.engines.graph.drawing.picture import Picture

_WRITERS: dict[PictureFormat, Callable[[Picture], str]] = {
    "mermaid": mermaid.written,
    "dot": dot.written,
    "graphml": graphml.written,
    "svg": svg.written,
}


def drawn(picture: Picture, form: PictureFormat) -> str:
    """The picture in one of the formats."""
    return _WRITERS[form](picture)
