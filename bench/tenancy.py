"""Whether tenants of one database ever see each other.

50 tenants, 10,000 random acts, several threads, seeded.

Each tenant lives a random life in its workspace and the same life in a SQLite store of its own; an answer
that differs, or that carries another tenant's mark, is a leak, and so is a row that is not where it
belongs. It is done with both guards, with row-level security alone (the queries' filters and the lexemes'
prefixes taken away), with the filters alone (as a superuser), and as a login role that owns nothing. Exits
1 on any leak, and where a run without both guards leaks nothing: then the trial itself could not tell.

    python bench/tenancy.py [--tenants 50] [--acts 10000] [--threads 4] [--layout postgres] [--seed 1]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [
    str(ROOT / "tests"),
    str(ROOT / "tests" / "contract"),
]  # the trial is the tests' own, only longer

from servers import PARTITIONS, Server  # type: ignore[import-not-found]  # noqa: E402
from tenants import (  # type: ignore[import-not-found]  # noqa: E402
    live,
    misplaced,
    no_filters,
    no_security,
    tenants,
)

RUNS: dict[str, tuple[Any, ...]] = {
    "both guards": (nullcontext,),
    "row-level security alone": (no_filters,),
    "the filters alone": (no_security,),
    "an ordinary role": (nullcontext,),
    "an ordinary role, row-level security alone": (no_filters,),
    "no guard (must leak)": (no_filters, no_security),
}


def trial(
    server: Server, layout: str, run: str, options: argparse.Namespace
) -> tuple[list[str], Counter[str]]:
    url = server.url(layout)
    if run.startswith("an ordinary"):
        url = url.replace("postgres:@", "ordinary:@")
    with ExitStack() as stack:
        for guard in RUNS[run]:
            stack.enter_context(guard())
        names = [server.new_name() for _ in range(options.tenants)]
        some = stack.enter_context(tenants(url, names, options.seed))
        leaks = live(some, options.acts, threads=options.threads)
        leaks += misplaced(server.url(layout), some)
        return leaks, sum((tenant.acts for tenant in some), Counter())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tenants", type=int, default=50)
    parser.add_argument("--acts", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--layout", choices=sorted(PARTITIONS), default="postgres-partitioned")
    parser.add_argument("--run", choices=sorted(RUNS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    server, failed = Server(), False
    try:
        server.url(options.layout)
        server.run("CREATE ROLE ordinary LOGIN IN ROLE recortex_tenant")
        print(f"{options.tenants} tenants, {options.threads} threads, {options.layout}, seed {options.seed}")
        print(f"{'guard':44} {'written':>8} {'read':>8} {'leaks':>8} {'seconds':>8}")
        for run in options.run or RUNS:
            began = time.perf_counter()
            leaks, acts = trial(server, options.layout, run, options)
            print(
                f"{run:44} {acts['written']:8} {acts['read']:8} {len(leaks):8} "
                f"{time.perf_counter() - began:8.1f}",
                flush=True,
            )
            control = "must leak" in run
            failed |= bool(leaks) != control
            for leak in () if control else leaks[:5]:
                print("   ", leak)
    finally:
        server.stop()
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
