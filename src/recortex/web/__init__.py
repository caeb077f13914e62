"""`recortex serve`: pages for people, a JSON API, and the protocol of agents over HTTP, from one process."""
