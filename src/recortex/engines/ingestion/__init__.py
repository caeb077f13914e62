"""From what was said to a memory that is kept: cleaned, composed, compared with what is known."""
