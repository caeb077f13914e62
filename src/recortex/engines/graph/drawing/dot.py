"""DOT, the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.graph.drawing.picture import Picture


def written(picture: Picture) -> str:
    """The picture as DOT: every id and label is a quoted string."""
    lines = ["digraph why {", "  rankdir=TB;", "  node [shape=box, style=rounded];"]
    for one in picture.nodes:
        bold = ", penwidth=3" if one.main else ""
        lines.append(f"  {_quoted(one.id)} [label={_quoted(f'{one.kind}: {one.label}')}{bold}];")
    for arrow in picture.arrows:
        dashed = ", style=dashed" if arrow.unsure else ""
        ends = f"{_quoted(arrow.source)} -> {_quoted(arrow.target)}"
        lines.append(f"  {ends} [label={_quoted(arrow.label)}{dashed}];")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'
