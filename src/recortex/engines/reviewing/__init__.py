"""What a person should look at, what to ask, and what an answer changes."""
