#!/usr/bin/env bash
# Graphiti on Kuzu saves a fact between an entity and one that is not there without a word, and keeps nothing.
#
# Guessed before: an edge whose end is missing is an error, since a graph database can hold none; or the
# missing node is made, as `MERGE` would.
#
# Seen with graphiti-core 0.31.2 and kuzu 0.11.3 on Python 3.11: `save` returns as it does for a good edge,
# the node is not made, and the edge is not found afterwards, neither by its group nor by its id. The query
# begins by matching both ends, so that it has nothing to do.
#
# The order in which a dump is loaded matters: nodes first, or facts are gone and nobody is told.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
  'graphiti-core[kuzu]==0.31.2' kuzu==0.11.3 httpx
GRAPHITI_TELEMETRY_ENABLED=false "$work/venv/bin/python" -W ignore - "$work/graph" <<'PYTHON'
import asyncio
import sys
from datetime import UTC, datetime

from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.errors import EdgeNotFoundError, GroupsEdgesNotFoundError
from graphiti_core.nodes import EntityNode

NOW = datetime(2026, 11, 1, 9, tzinfo=UTC)


async def main():
    driver = KuzuDriver(db=sys.argv[1])
    await EntityNode(uuid="a", name="a", group_id="g", created_at=NOW, name_embedding=[0.0]).save(driver)
    edge = EntityEdge(
        uuid="e",
        group_id="g",
        source_node_uuid="a",
        target_node_uuid="nowhere",
        name="R",
        fact="A fact",
        fact_embedding=[0.0],
        created_at=NOW,
    )
    await edge.save(driver)  # no error
    nodes = [one.uuid for one in await EntityNode.get_by_group_ids(driver, ["g"])]
    try:
        found = await EntityEdge.get_by_group_ids(driver, ["g"])
    except GroupsEdgesNotFoundError:
        found = []
    try:
        await EntityEdge.get_by_uuid(driver, "e")
        found.append("by its id")
    except EdgeNotFoundError:
        pass
    return nodes, found


nodes, found = asyncio.run(main())
print("nodes", nodes, "edges", found)
assert nodes == ["a"], "the missing node is made now"
assert not found, "the edge is kept now"
PYTHON
echo "as it was seen: an edge to a node that is not there is dropped silently"
