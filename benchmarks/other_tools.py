"""Other converters of documents, measured in a process of their own, so that none need be in our environment."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MISSING = "markitdown left out: not installed (pip install -c constraints.txt --group bench, or --markitdown PYTHON)"
_MARKITDOWN = """
import sys, time
from markitdown import MarkItDown
tool = MarkItDown()
files = sys.stdin.read().splitlines()
tool.convert(files[0])
began = time.process_time()
for file in files:
    tool.convert(file)
print(time.process_time() - began)
"""


def markitdown_seconds(files: Sequence[Path], python: str) -> float | None:
    """CPU seconds that markitdown takes for the files, once warm; None where ``python`` cannot import it."""
    listing = "\n".join(map(str, files))
    done = subprocess.run([python, "-c", _MARKITDOWN], input=listing, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return float(done.stdout.split()[-1])
    if "No module named 'markitdown'" in done.stderr:
        return None
    raise SystemExit(f"markitdown failed:\n{done.stderr}")
