"""Background jobs: `table` declares them, `running` runs them."""
