"""Which memories say the same, and the one memory that can stand for two."""
