"""How memories are worded for an agent, and whether they were used."""
