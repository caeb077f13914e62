"""Judges whether a statement of a session is worth remembering, as learned from labelled sessions."""

from __future__ import annotations

from recortex.engines.judging.judge import Judgement, Message, Statement, features, judged

__all__ = ["Judgement", "Message", "Statement", "features", "judged"]
