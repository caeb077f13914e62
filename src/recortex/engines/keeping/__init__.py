"""Conventions and what is remembered: kept, followed, explained, and linked to memories."""
