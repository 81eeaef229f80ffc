"""Markdown documents become chunks: parsed into units, grouped by id, rebuilt verbatim.

tree = build_tree(document)
plan = RulePlanner().plan(tree)
chunks = assemble(tree, plan)
"""

from __future__ import annotations

from chunking.assemble import assemble
from chunking.limits import WindowLimits
from chunking.planners import RulePlanner
from chunking.repair import repair
from chunking.tree import build_tree
from chunking.validate import validate

__all__ = ["RulePlanner", "WindowLimits", "assemble", "build_tree", "repair", "validate"]
