"""GraphML, which other programs for graphs read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

_FIRST, _NONE = " ", frozenset(map(chr, (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)))

if TYPE_CHECKING:
    from recortex.engines.graph.drawing.picture import Picture

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="kind" for="node" attr.name="kind" attr.type="string"/>
  <key id="label" for="all" attr.name="label" attr.type="string"/>
  <key id="strength" for="edge" attr.name="strength" attr.type="double"/>
  <key id="suggested" for="edge" attr.name="suggested" attr.type="boolean"/>
  <graph id="why" edgedefault="directed">"""


def written(picture: Picture) -> str:
    """The picture as GraphML."""
    lines = [_HEAD]
    for node in picture.nodes:
        data = _data("kind", node.kind) + _data("label", node.label)
        lines.append(f"    <node id={quoteattr(node.id)}>{data}</node>")
    for place, arrow in enumerate(picture.arrows, 1):
        data = _data("label", arrow.label) + _data("strength", f"{arrow.strength:g}")
        data += _data("suggested", "true") if arrow.unsure else ""
        ends = f"source={quoteattr(arrow.source)} target={quoteattr(arrow.target)}"
        lines.append(f'    <edge id="e{place}" {ends}>{data}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>"])


def _data(key: str, value: str) -> str:
    return f'<data key="{key}">{escape(xml_text(value))}</data>'


def xml_text(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return "".join(sign for sign in text if sign in "\t\n" or (sign >= _FIRST and sign not in _NONE))
