"""The values that all layers share: frozen, on the standard library alone."""
