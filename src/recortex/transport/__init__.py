"""One POST to one address, for all that talk to a provider."""
