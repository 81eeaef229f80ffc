"""Measurements of this project, run from the root of the repository: ``python -m benchmarks.NAME --help``.

The figures that depend on the machine are printed as ratios of two things measured in the same run.
"""
