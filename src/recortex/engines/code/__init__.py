"""What calls what, and what matters most, from the facts of a project's files alone."""
