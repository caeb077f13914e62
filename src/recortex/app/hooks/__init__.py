"""What the hooks of an agent's client do: session start, prompts, file events, session end."""
