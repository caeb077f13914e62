"""Puts together what is known for a task."""
