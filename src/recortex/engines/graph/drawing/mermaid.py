"""Mermaid: a flow chart from top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.graph.drawing.picture import Picture


def written(picture: Picture) -> str:
    """The picture as Mermaid: ids are of our own, and what could end a label is escaped."""
    names = {node.id: f"n{place}" for place, node in enumerate(picture.nodes, 1)}
    lines = ["flowchart TD"]
    lines += [f'    {names[one.id]}["{_escaped(f"{one.kind}: {one.label}")}"]' for one in picture.nodes]
    for one in picture.arrows:
        line = "-.->" if one.unsure else "-->"
        lines.append(f'    {names[one.source]} {line}|"{_escaped(one.label)}"| {names[one.target]}')
    main = ",".join(names[one.id] for one in picture.nodes if one.main)
    if main:
        lines += ["    classDef asked stroke-width:3px;", f"    class {main} asked;"]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """A text that Mermaid shows as it is: what it would obey becomes the number of its character."""
    return "".join(f"#{ord(sign)};" if sign in '"#<>&`\\[]{}|;' else sign for sign in " ".join(text.split()))
