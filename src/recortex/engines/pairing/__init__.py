"""A piece of code beside its description in prose (C, «prose-code pairing»)."""
