"""Pairs of memories: a piece of code, and its description in prose."""
