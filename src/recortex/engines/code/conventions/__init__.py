"""How a project is written: properties that nearly all handlers, tests, classes … of it share."""
