"""The vocabulary of the house: records, ids, errors, protocols, configuration. Imports none of ours."""

__version__ = "0.1.0"
