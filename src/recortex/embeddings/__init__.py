"""Makes vectors of texts, with the shipped model, another model, or a provider."""
