"""Reads the messages of commits: what was decided, reverted and mended, and why. Most say nothing of it."""
