"""Which cases of a slow test are for every run, and which for the full one."""

from collections.abc import Iterable

import pytest


def quick(values: Iterable[object], count: int = 1) -> list[object]:
    """These cases: the first few run always, the others with `--full`."""
    first, rest = list(values)[:count], list(values)[count:]
    return [*first, *(pytest.param(one, marks=pytest.mark.full) for one in rest)]
