"""Memories in PostgreSQL: many workspaces in one database, many processes, several machines."""
