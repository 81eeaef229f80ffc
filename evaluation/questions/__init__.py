"""A user's own questions against the collection in use: what is found, what is not, and why."""
