"""Faults of a store in one SQLite file."""
