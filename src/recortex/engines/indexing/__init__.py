"""What is written to the keyword index for a memory, and what is embedded: pure functions."""
