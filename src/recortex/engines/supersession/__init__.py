"""Supersession: whether a new statement replaces a known one, who may do so, and its scope."""
