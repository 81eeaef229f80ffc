"""Qdrant's own engine in this process (qdrant-edge-py), behind the calls that a store makes."""
