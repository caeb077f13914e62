"""What a correction is made of: its difference, its category, and what the agent had done before."""
