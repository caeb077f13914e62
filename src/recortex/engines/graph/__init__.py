"""Memories as a graph: hubs, paths and cycles."""
