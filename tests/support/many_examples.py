"""A pytest plugin for ``make soak``: property tests with new examples, and many times as many of them.

Each test keeps its own settings but for these; the factor is EXAMPLES_FACTOR, 10 unless set. A failing example is
printed, and kept in .hypothesis for the next run.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

_SETTINGS = "_hypothesis_internal_use_settings"


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """No example is that of an earlier run."""
    factor = int(os.environ.get("EXAMPLES_FACTOR", "10"))
    for item in items:
        function = getattr(getattr(item, "obj", None), "__func__", getattr(item, "obj", None))
        if not getattr(function, "is_hypothesis_test", False):
            continue
        own: settings = getattr(function, _SETTINGS, settings.default)
        many = settings(own, max_examples=own.max_examples * factor, derandomize=False, deadline=None)
        setattr(function, _SETTINGS, many)
