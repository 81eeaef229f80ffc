"""Corpora with questions: documents in several formats, and what a good answer must rest on."""
