"""Memories as a graph: what is near a memory, what led to it, what followed, and what rests on it.

Pure functions over `relations_of`, which gives every relation that begins or ends at one of some memories
and is asked once a level. It may leave out what a `Way` does not follow (`levels`).
"""

from __future__ import annotations

from math import fsum
from operator import attrgetter
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from recortex.domain.memory import BACKWARD, CAUSAL, FORWARD
from recortex.domain.text import clean, shorten
from recortex.domain.vocabulary import RelationStatus, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.context import PictureFormat
    from recortex.domain.memory import FormerRelation, Memory, Relation

    class Along(Protocol):
        """The part of a store's relations that a walk reads."""

        def along(
            self,
            ids: Sequence[str],
            outgoing: Collection[RelationType],
            incoming: Collection[RelationType],
            *,
            min_strength: float,
            most: int,
        ) -> Sequence[Relation]:
            """Active relations from some memories on, the strongest to each memory that is reached."""

    RelationsOf = Callable[[Sequence[str]], Iterable[Relation]]
    Direction = Literal["both", "outgoing", "incoming"]


DEPTH, STRENGTH, NODES = 5, 0.3, 50
"""How far to go, the weakest relation to follow, and the most memories to reach: the specification's."""
WEAKEST, MEAN, KEPT_PER_STEP = 0.6, 0.4, 0.95
"""The shares of a chain's weakest relation and of their mean, and what each relation after the first leaves.

The specification gives the shares and asks for a penalty of long chains without naming one. With 5 % a chain
of five certain relations (0.81) still counts more than one that is rather certain (0.8), and less than two
certain ones (0.95).
"""
_BORNE = frozenset({RelationType.SUPPORTS, RelationType.AFFECTS, RelationType.SOURCE_OF, RelationType.BLOCKS})
"""Relations of which the target rests on the source or feels its change."""
_RESTING = frozenset(
    {
        RelationType.DEPENDS_ON,
        RelationType.REQUIRES,
        RelationType.REFINES,
        RelationType.EXEMPLIFIES,
        RelationType.LEARNED_FROM,
    }
)
"""Relations of which the source rests on the target."""


class RelationFilter(NamedTuple):
    """Which relations to follow; causes that wait for a person are never followed.

    Attributes:
        types: only these; all if empty.
        direction: follow outgoing or incoming relations, or both; a bidirectional one always qualifies.
        min_strength: 0 to 1.
    """

    types: Collection[RelationType] = ()
    direction: Direction = "both"
    min_strength: float = 0.0

    def follows(self, relation: Relation, start: str) -> bool:
        """Whether the relation is followed from the memory `start`, one of its two ends."""
        if relation.strength < self.min_strength or (self.types and relation.type not in self.types):
            return False
        if relation.doubted:
            return False
        outgoing = relation.source_id == start
        return (
            self.direction == "both" or relation.bidirectional or outgoing == (self.direction == "outgoing")
        )


class Way(NamedTuple):
    """Which relations to follow, and from which end.

    Attributes:
        outgoing: types that are followed from source to target.
        incoming: types that are followed from target to source.
        min_strength: 0 to 1.
    """

    outgoing: Collection[RelationType]
    incoming: Collection[RelationType]
    min_strength: float = STRENGTH

    def only(self, types: Collection[RelationType]) -> Way:
        """The same with only some of the types."""
        return Way({*self.outgoing} & {*types}, {*self.incoming} & {*types}, self.min_strength)

    def follows(self, relation: Relation, start: str) -> bool:
        """Whether the relation, which is active, leads on from the memory `start`, one of its two ends."""
        if relation.status is not RelationStatus.ACTIVE or relation.strength < self.min_strength:
            return False
        types = self.outgoing if relation.source_id == start else self.incoming
        return relation.type in types or (
            relation.bidirectional and relation.type in {*self.outgoing, *self.incoming}
        )


Follow = RelationFilter | Way
"""Decides which relations are followed from which of their ends."""


def to_causes(min_strength: float = STRENGTH) -> Way:
    """From an effect to what led to it."""
    return Way(BACKWARD, FORWARD, min_strength)


def to_effects(min_strength: float = STRENGTH) -> Way:
    """From a cause to what followed."""
    return Way(FORWARD, BACKWARD, min_strength)


def to_dependents(min_strength: float = STRENGTH) -> Way:
    """From a memory to what rests on it, by cause or otherwise."""
    return Way(FORWARD | _BORNE, BACKWARD | _RESTING, min_strength)


def levels(relations: Along, way: Way, limit: int = NODES) -> RelationsOf:
    """A `relations_of` that reads of each level only what a walk along a way can need.

    A walk that reaches at most `limit` memories knows no more of them, and begins at one: of twice as many
    that are near, enough are new to it.
    """

    def relations_of(ids: Sequence[str]) -> Sequence[Relation]:
        most = 2 * limit + 2
        return relations.along(ids, way.outgoing, way.incoming, min_strength=way.min_strength, most=most)

    return relations_of


class Step(NamedTuple):
    """A memory that was reached, and the relations that lead to it, the first from the start."""

    id: str
    path: tuple[Relation, ...]

    @property
    def depth(self) -> int:
        """How many relations away it is."""
        return len(self.path)

    @property
    def confidence(self) -> float:
        """Of that chain, 0 to 1."""
        return confidence([relation.strength for relation in self.path])


def walk(
    start: str,
    follow: Follow,
    relations_of: RelationsOf,
    *,
    depth: int = DEPTH,
    limit: int = NODES,
) -> list[Step]:
    """The memories within `depth` relations, nearest first, then by the strength of the last relation.

    Each memory is reached once, by a shortest path. Relations are read once per level.

    Args:
        start: id of the memory; it is not in the result.
        follow: which relations to follow.
        relations_of: every relation that begins or ends at one of some memories.
        depth: how many relations to follow; 0 reaches nothing.
        limit: the most memories to reach.
    """
    seen = {start}
    reached: list[Step] = []
    frontier = [Step(start, ())]
    while frontier and frontier[0].depth < depth and len(reached) < limit:
        frontier = list(_next(frontier, seen, follow, relations_of([step.id for step in frontier])))
        reached.extend(frontier)
    return reached[:limit]


def _next(
    frontier: Sequence[Step], seen: set[str], follow: Follow, relations: Iterable[Relation]
) -> Iterator[Step]:
    paths = {step.id: step.path for step in frontier}
    # Of several shortest paths to a memory, the one whose last relation is strongest is kept.
    strongest_first = sorted(
        relations, key=lambda one: (-one.strength, one.source_id, one.target_id, one.type)
    )
    for relation in strongest_first:
        for start in (relation.source_id, relation.target_id):
            end = relation.other(start)
            if start in paths and end not in seen and follow.follows(relation, start):
                seen.add(end)
                yield Step(end, (*paths[start], relation))


class Fallen(NamedTuple):
    """An effect of what is imagined away.

    Attributes:
        others: ids of causes that it would keep; without any it falls entirely.
        freed: it did not happen, since what is imagined away prevented it.
    """

    step: Step
    others: tuple[str, ...] = ()
    freed: bool = False


def counterfactual(
    start: str,
    relations_of: RelationsOf,
    every: RelationsOf | None = None,
    *,
    way: Way | None = None,
    depth: int = DEPTH,
    limit: int = NODES,
) -> list[Fallen]:
    """What would be missing without a memory, and which of that has other causes; a part of its effects.

    An effect falls with its last cause. One that has a cause which does not fall keeps that, and so do the
    effects of this one.

    Args:
        start: id of the memory.
        relations_of: as for a walk.
        every: the same, which leaves out nothing; `relations_of` where that leaves out nothing.
        way: how effects are followed.
        depth: how many relations to follow.
        limit: the most memories to reach.
    """
    way = way or to_effects()
    steps = walk(start, way, relations_of, depth=depth, limit=limit)
    ids = [step.id for step in steps]
    causes: dict[str, set[str]] = {id_: set() for id_ in ids}
    # The walk may know only the strongest relations, while a weaker one can be another cause.
    for one in (every or relations_of)(ids) if ids else ():
        if one.type in CAUSAL:
            for near in (one.source_id, one.target_id):
                if one.other(near) in causes and way.follows(one, near):
                    causes[one.other(near)].add(near)
    fallen = _fallen(start, causes)
    return [
        Fallen(
            step,
            tuple(sorted(causes[step.id] - fallen)),
            step.path[-1].type is RelationType.PREVENTED,
        )
        for step in steps
    ]


def _fallen(start: str, causes: dict[str, set[str]]) -> set[str]:
    """The start and what has no cause left without it."""
    fallen, before = {start}, 0
    while len(fallen) > before:
        before = len(fallen)
        fallen |= {id_ for id_, of in causes.items() if of <= fallen}
    return fallen


def confidence(strengths: Sequence[float]) -> float:
    """The confidence of a chain, 0 to 1; 1 for one without relations.

    Args:
        strengths: of its relations, 0 to 1 each.
    """
    if not strengths:
        return 1.0
    believed = WEAKEST * min(strengths) + MEAN * fsum(strengths) / len(strengths)
    return round(believed * KEPT_PER_STEP ** (len(strengths) - 1), 4)


def known_at(at: datetime, relations: Iterable[Relation], former: Iterable[FormerRelation]) -> list[Relation]:
    """The relations that were recorded at a time, as they were then.

    Args:
        at: a recording time.
        relations: as they are now.
        former: what they, and those that were taken away since, were.
    """
    held = {(one.source_id, one.target_id, one.type): one for one in relations if one.created_at <= at}
    # Of several states that ended since then, the one that ended first held at that time.
    for state in sorted(former, key=attrgetter("ended_at"), reverse=True):
        one = state.relation
        if one.created_at <= at < state.ended_at:
            held[one.source_id, one.target_id, one.type] = one
    return list(held.values())


# -- pictures of memories and what led to what, as Mermaid, DOT or SVG: causes above effects


MOST_NODES = 50
LABEL = 70
"""Characters of a memory's text in its node."""
_BACKWARDS = frozenset((RelationType.TRIGGERED_BY, RelationType.DERIVED_FROM, RelationType.LEARNED_FROM))
"""Relations that are drawn from their target to their source, so that causes stand above effects."""
# XML 1.0 allows none of these, not even escaped: one would make the whole picture unreadable.
_NOT_XML = frozenset(map(chr, (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)))
SWEEPS = 4
"""How often the order within layers is improved, down and up."""
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


class DrawnNode(NamedTuple):
    """A memory in a picture; `main` is what was asked about."""

    id: str
    kind: str
    label: str
    main: bool = False


class Arrow(NamedTuple):
    """A relation in a picture, in the direction in which it is drawn; `unsure` where it is only suggested."""

    source: str
    target: str
    label: str
    unsure: bool = False


class Picture(NamedTuple):
    """A graph that can be drawn: arrows begin and end at its nodes."""

    nodes: tuple[DrawnNode, ...]
    arrows: tuple[Arrow, ...]


def picture_of(
    memories: Mapping[str, Memory], relations: Iterable[Relation], main: Iterable[str] = ()
) -> Picture:
    """The first fifty memories with the relations among them.

    Args:
        memories: by id, the most important first.
        relations: those with an end elsewhere are left out.
        main: ids of what was asked about.
    """
    asked = frozenset(main)
    nodes = tuple(
        DrawnNode(one.id, one.kind, shorten(clean(one.summary or one.text), LABEL), one.id in asked)
        for one in list(memories.values())[:MOST_NODES]
    )
    drawn = {one.id for one in nodes}
    once = {_arrow(one): None for one in relations if one.source_id in drawn and one.target_id in drawn}
    return Picture(nodes, tuple(once))


def _arrow(one: Relation) -> Arrow:
    back = one.type in _BACKWARDS
    ends = (one.target_id, one.source_id) if back else (one.source_id, one.target_id)
    words = one.type.reversed if back else one.type.words
    return Arrow(*ends, words, one.status is RelationStatus.SUGGESTED)


def mermaid(picture: Picture) -> str:
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


def dot(picture: Picture) -> str:
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


def svg(picture: Picture) -> str:
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
    arrows = [_svg_arrow(one, places) for one in picture.arrows]
    nodes = [_svg_node(one, *places[one.id]) for one in picture.nodes]
    page = f'<rect class="page" width="{width}" height="{height}"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    return "\n".join([head, title, _STYLE, _TIP, page, *arrows, *nodes, "</svg>"])


def _left(count: int, place: int, width: int) -> int:
    row = count * WIDTH + (count - 1) * GAP
    return (width - row) // 2 + place * (WIDTH + GAP)


def _svg_node(node: DrawnNode, x: int, y: int) -> str:
    asked = ' class="asked"' if node.main else ""
    lines = _wrapped(node.label)
    text = "".join(
        f'<text x="{x + 10}" y="{y + 36 + 15 * place}">{_safe(line)}</text>'
        for place, line in enumerate(lines)
    )
    kind = f'<text class="kind" x="{x + 10}" y="{y + 19}">{_safe(node.kind)}</text>'
    box = f'<rect{asked} x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
    return f"<g><title>{_safe(node.label)}</title>{box}{kind}{text}</g>"


def _svg_arrow(arrow: Arrow, places: Mapping[str, tuple[int, int]]) -> str:
    (x1, y1), (x2, y2) = places[arrow.source], places[arrow.target]
    # An arrow that closes a circle may point upwards, or along a layer.
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
    lines = wrap(text, _LINE, break_long_words=False, break_on_hyphens=False) or [""]
    # Long words were not broken, since they are mostly paths and names, and may be longer than a line.
    shown = [line[:_LINE] for line in lines[:_LINES]]
    if len(lines) > _LINES:
        shown[-1] = f"{shown[-1][: _LINE - 1]}…"
    return shown


def _safe(text: str) -> str:
    from html import escape

    legal = "".join(sign for sign in text if sign in "\t\n" or (sign >= " " and sign not in _NOT_XML))
    return escape(legal, quote=False)


def layers(picture: Picture) -> list[list[str]]:
    """The ids of the nodes, layer by layer from the top, in their order from the left.

    A node stands below all that points at it. Arrows that would close a circle are passed over.
    """
    above: dict[str, list[str]] = {node.id: [] for node in picture.nodes}
    below: dict[str, list[str]] = {node.id: [] for node in picture.nodes}
    depth = dict.fromkeys(above, 0)
    for arrow in picture.arrows:
        if arrow.source != arrow.target and not _reaches(below, arrow.target, arrow.source):
            below[arrow.source].append(arrow.target)
            above[arrow.target].append(arrow.source)
    waiting = [node for node, before in above.items() if not before]
    left = {node: len(before) for node, before in above.items()}
    while waiting:
        node = waiting.pop()
        for after in below[node]:
            depth[after] = max(depth[after], depth[node] + 1)
            left[after] -= 1
            if not left[after]:
                waiting.append(after)
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in above:
        found[depth[node]].append(node)
    # The barycentre heuristic of layered drawings (Sugiyama, Tagawa and Toda, 1981): fewer arrows cross.
    for _ in range(SWEEPS):
        _sorted_by(found, above)
        _sorted_by(found[::-1], below)
    return found


def _reaches(below: Mapping[str, Sequence[str]], start: str, end: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        waiting += [one for one in below[node] if one not in seen]
        seen.update(below[node])
    return False


def _sorted_by(found: Sequence[list[str]], neighbours: Mapping[str, Sequence[str]]) -> None:
    """Order each layer by the mean place of its neighbours in the layers before it."""
    place: dict[str, float] = {}
    for layer in found:
        for index, node in enumerate(layer):
            place.setdefault(node, index)
        middle = {}
        for node in layer:
            near = [place[one] for one in neighbours[node] if one in place] or [place[node]]
            middle[node] = sum(near) / len(near)
        layer.sort(key=middle.__getitem__)
        place.update({node: index for index, node in enumerate(layer)})


DRAWN: dict[PictureFormat, Callable[[Picture], str]] = {"mermaid": mermaid, "dot": dot, "svg": svg}
"""What draws a picture in each of the formats."""
