"""Judges whether what a person typed is worth remembering, as learned from labelled sessions."""

from __future__ import annotations

from recortex.engines.judging.judge import Judgement, Message, Statement, assess, features

__all__ = ["Judgement", "Message", "Statement", "assess", "features"]
