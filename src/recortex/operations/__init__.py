"""What a person or an agent can do, each declared once."""
