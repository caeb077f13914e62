"""What a session taught, found by rules: `extract` turns turns into candidates."""

from __future__ import annotations

from recortex.engines.extraction.extractor import Learned, extract, learned

__all__ = ["Learned", "extract", "learned"]
