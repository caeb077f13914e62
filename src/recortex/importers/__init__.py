"""Other memory systems whose memories can be imported: one module each, which declares its `SOURCES`."""
