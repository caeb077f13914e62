"""Finds by rules what a session taught: `extract` makes candidates of turns."""

from __future__ import annotations

from recortex.engines.extraction.extractor import Learned, extract, learned

__all__ = ["Learned", "extract", "learned"]
