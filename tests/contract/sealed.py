"""Whether the seals of a store fit, on either engine."""

from recortex.storage.records import rows as kept_rows


def database(store):
    """What runs a store's statements."""
    return store.pool if hasattr(store, "pool") else store.database


def unfit(store):
    """Rows that are not as they were written."""
    rows = database(store)
    return list(kept_rows.unfit_rows(rows.rows, rows.queries("memories")))
