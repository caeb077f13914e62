"""The rows of the table, by what they protect."""
