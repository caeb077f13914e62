"""The implementations of storage: nothing else but `app/wiring.py` imports SQLite's or PostgreSQL's."""
