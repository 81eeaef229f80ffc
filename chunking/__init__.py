"""Markdown documents become chunks: parsed into units, grouped by id, rebuilt verbatim.

tree = build_tree(document)
plan = RulePlanner().plan(tree)
chunks = assemble(tree, plan)

kept = keep_groups(tree, plan, changed_tree, limits)
plan = RulePlanner().plan(changed_tree, kept=kept)
"""

from __future__ import annotations

from chunking.assemble import assemble
from chunking.delta import keep_groups
from chunking.limits import WindowLimits
from chunking.planners import RulePlanner
from chunking.repair import repair
from chunking.tree import build_tree
from chunking.validate import validate

__all__ = ["RulePlanner", "WindowLimits", "assemble", "build_tree", "keep_groups", "repair", "validate"]
