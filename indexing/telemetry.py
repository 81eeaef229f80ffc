"""Turns off the usage reports of the libraries behind the embedders; imported before any of them.

onnxruntime sends trace events to its maker over HTTPS, and keeps a device id in the home folder, unless this variable
is set before it is first imported (its Privacy.md, "Disable all 1DS telemetry at runtime"); huggingface_hub reports
downloads. Whoever wants them sets the variables to 0.
"""

from __future__ import annotations

import os

VARIABLES = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY")

for _name in VARIABLES:
    os.environ.setdefault(_name, "1")
