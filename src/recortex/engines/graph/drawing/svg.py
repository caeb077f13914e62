"""SVG: nodes in layers, readable on a light and on a dark page, without a script or anything from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from recortex.engines.graph.drawing.graphml import xml_text
from recortex.engines.graph.drawing.layout import layers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.engines.graph.drawing.picture import Arrow, Node, Picture

WIDTH, HEIGHT, GAP, RISE, MARGIN = 220, 62, 28, 74, 20
"""Of a node, between two of a layer, between two layers, and around the picture, in pixels."""
_LINE, _LINES = 34, 2
"""Characters of a line in a node, and how many lines there are."""
_STYLE = """<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .kind { font-weight: 600; fill: #57606a }
  .label { font-size: 11px; fill: #57606a; paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
  rect { fill: #f6f8fa; stroke: #8c959f } .asked { stroke: #0969da; stroke-width: 2.5 }
  path { fill: none; stroke: #8c959f; stroke-width: 1.4 } .unsure { stroke-dasharray: 5 4 }
  .tip { fill: #8c959f; stroke: none } .page { fill: #ffffff; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .kind, .label { fill: #9da7b3 } .label { stroke: #0d1117 }
    rect { fill: #161b22; stroke: #6e7681 } .asked { stroke: #4493f8 } path { stroke: #6e7681 }
    .tip { fill: #6e7681 } .page { fill: #0d1117 }
  }
</style>"""
_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
)


def written(picture: Picture) -> str:
    """The picture as one SVG element."""
    found = layers(picture)
    widest = max(map(len, found), default=0)
    width = max(2 * MARGIN + widest * WIDTH + max(widest - 1, 0) * GAP, 2 * MARGIN + WIDTH)
    height = 2 * MARGIN + len(found) * HEIGHT + max(len(found) - 1, 0) * RISE
    places = {
        node: (_left(len(layer), place, width), MARGIN + depth * (HEIGHT + RISE))
        for depth, layer in enumerate(found)
        for place, node in enumerate(layer)
    }
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    title = "<title>Why: memories and what led to what</title>"
    arrows = [_arrow(one, places) for one in picture.arrows]
    nodes = [_node(one, *places[one.id]) for one in picture.nodes]
    page = f'<rect class="page" width="{width}" height="{height}"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    return "\n".join([head, title, _STYLE, _TIP, page, *arrows, *nodes, "</svg>"])


def _left(count: int, place: int, width: int) -> int:
    row = count * WIDTH + (count - 1) * GAP
    return (width - row) // 2 + place * (WIDTH + GAP)


def _node(node: Node, x: int, y: int) -> str:
    asked = ' class="asked"' if node.main else ""
    lines = _wrapped(node.label)
    text = "".join(
        f'<text x="{x + 10}" y="{y + 36 + 15 * place}">{_safe(line)}</text>'
        for place, line in enumerate(lines)
    )
    kind = f'<text class="kind" x="{x + 10}" y="{y + 19}">{_safe(node.kind)}</text>'
    box = f'<rect{asked} x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
    return f"<g><title>{_safe(node.label)}</title>{box}{kind}{text}</g>"


def _arrow(arrow: Arrow, places: Mapping[str, tuple[int, int]]) -> str:
    (x1, y1), (x2, y2) = places[arrow.source], places[arrow.target]
    down = y2 > y1
    start, end = (y1 + HEIGHT, y2) if down else (y1, y2 + HEIGHT)
    if y1 == y2:
        start = end = y1 + HEIGHT // 2
    a, b = x1 + WIDTH // 2, x2 + WIDTH // 2
    bend = (start + end) // 2
    unsure = ' class="unsure"' if arrow.unsure else ""
    line = f'<path{unsure} marker-end="url(#tip)" d="M{a} {start} C{a} {bend} {b} {bend} {b} {end}"/>'
    place = f'text-anchor="middle" x="{(a + b) // 2}" y="{bend + 4}"'
    return f'{line}<text class="label" {place}>{_safe(arrow.label)}</text>'


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    shown = [line[:_LINE] for line in lines[:_LINES]]
    if len(lines) > _LINES:
        shown[-1] = f"{shown[-1][: _LINE - 1]}…"
    return shown


def _safe(text: str) -> str:
    return escape(xml_text(text))
