"""`recortex serve`: pages for people, a JSON API, and the Model Context Protocol over HTTP, from one process."""
