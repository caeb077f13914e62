"""Faults of a PostgreSQL server and of the way to it.

Each site is a database of its own on a server of the workbench.
"""
