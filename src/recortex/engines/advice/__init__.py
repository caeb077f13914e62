"""What to watch out for, and what else is worth knowing."""
