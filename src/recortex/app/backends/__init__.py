"""Which implementation stands behind a location.

Nothing else but `app/wiring.py` imports SQLite's or PostgreSQL's.
"""
