"""What an agent should know while it writes code."""
