"""Judges whether a statement of a session is worth remembering, as learned from labelled sessions."""

from __future__ import annotations

from recortex.engines.judging.features import Message, Statement, features
from recortex.engines.judging.judge import Judgement, judged

__all__ = ["Judgement", "Message", "Statement", "features", "judged"]
