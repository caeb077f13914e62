"""What engines need from the world: small Protocols."""
