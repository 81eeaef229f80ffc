"""Planners: which units form which chunk. Each keeps the protocol ``wrac.protocols.Planner``."""

from __future__ import annotations

from chunking.planners.rule import RulePlanner

__all__ = ["RulePlanner"]
