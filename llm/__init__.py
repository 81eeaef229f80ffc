"""The only door to OpenAI-compatible servers. Modules are imported by name: the client takes a second to load."""
