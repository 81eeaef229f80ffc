"""Other ways to make chunks, for comparison: without a model, by a model, and as published."""
