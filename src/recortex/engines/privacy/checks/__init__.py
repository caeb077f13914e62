"""Checks: functions that confirm or reject what a rule matched; the rules name them as `module.function`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.engines.privacy.table import Place


@cache
def check_named(name: str) -> Callable[[Place], bool]:
    """The check that a rule names. Its module is imported when a match first needs it."""
    module, _, function = name.partition(".")
    check: Callable[[Place], bool] = getattr(import_module(f"{__name__}.{module}"), function)
    return check


def listed(file: str) -> list[str]:
    """The words of a text file beside this module."""
    with open(f"{__file__.rpartition('__init__')[0]}{file}", encoding="utf-8") as words:  # noqa: PTH123
        return words.read().split()
