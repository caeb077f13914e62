#!/usr/bin/env bash
# Graphiti on Kuzu forgets the offset of a time and keeps the hands of the clock: facts shift by hours.
#
# Guessed before: what is saved with an offset is read back as the same instant, as an aware time; a time
# without a zone may be taken as UTC.
#
# Seen with graphiti-core 0.31.2 and kuzu 0.11.3 on Python 3.11: a fact saved with `invalid_at` at 12:00 of
# +02:00 comes back as 12:00 without a zone. The same instant saved as 10:00 UTC comes back as 10:00. The
# program takes times without a zone for UTC elsewhere, so that the first fact ends two hours late.
#
# Whoever saves edges by hand converts to UTC first; whoever reads a dump cannot tell the two apart.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
  'graphiti-core[kuzu]==0.31.2' kuzu==0.11.3 httpx
GRAPHITI_TELEMETRY_ENABLED=false "$work/venv/bin/python" -W ignore - "$work/graph" <<'PYTHON'
import asyncio
import sys
from datetime import UTC, datetime, timedelta, timezone

from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode

NOW, HERE = datetime(2026, 11, 1, 9, tzinfo=UTC), timezone(timedelta(hours=2))
SAME = {"here": datetime(2026, 6, 1, 12, tzinfo=HERE), "utc": datetime(2026, 6, 1, 10, tzinfo=UTC)}


async def main():
    driver = KuzuDriver(db=sys.argv[1])
    for name in ("a", "b"):
        node = EntityNode(uuid=name, name=name, group_id="g", created_at=NOW, name_embedding=[0.0])
        await node.save(driver)
    for name, at in SAME.items():
        edge = EntityEdge(
            uuid=name,
            group_id="g",
            source_node_uuid="a",
            target_node_uuid="b",
            name="R",
            fact=name,
            fact_embedding=[0.0],
            created_at=NOW,
            invalid_at=at,
        )
        await edge.save(driver)
    return {one.uuid: one.invalid_at for one in await EntityEdge.get_by_group_ids(driver, ["g"])}


assert SAME["here"] == SAME["utc"]
seen = asyncio.run(main())
print({name: str(at) for name, at in seen.items()})
assert seen["utc"].replace(tzinfo=None) == datetime(2026, 6, 1, 10)
assert seen["here"].tzinfo is None and seen["here"].hour == 12, "the offset counts now"
PYTHON
echo "as it was seen: the offset is dropped, the clock's hands are kept"
