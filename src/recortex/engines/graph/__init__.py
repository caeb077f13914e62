"""Memories as a graph: who is a hub, and what is reached from where."""
