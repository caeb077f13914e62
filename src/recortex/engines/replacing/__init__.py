"""A new memory in the place of others."""
