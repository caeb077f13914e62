"""What of a memory is written to the keyword index, and what is embedded: pure functions, used when it is written."""
