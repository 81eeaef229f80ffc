"""Writes ``docs/configuration.md`` from the models in ``wrac.config`` and ``wrac.site_profile``: ``make docs``."""

from __future__ import annotations

import json
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic_core import PydanticUndefined

from wrac.config import AuthProfile, PriceEntry, Settings, SiteProfile
from wrac.notify import NotifySettings

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

PAGE = Path(__file__).with_name("configuration.md")

INTRODUCTION = """\
# Configuration

<!-- Written by `make docs` from wrac/config.py and wrac/site_profile.py; a test compares the two. -->

Nothing has to be configured: `wrac crawl URL` works without a file. Three places answer three questions:

| question | place |
|---|---|
| What to do with a page, and where is everything kept? | `wrac.toml` in the working directory, or `WRAC_*` variables |
| What is a site? | `sites/NAME.toml` |
| How to fetch? | the Scrapy settings in `crawler/settings.py`; `scrapy crawl docs_site -s NAME=value` for one run |

A variable of the environment wins over `wrac.toml`, which wins over the default. Secrets stand in the environment only;
the files name the variables. A mistake ends the command before any work, with exit code 2 and the key's name.
"""

SETTINGS = """\
## `wrac.toml`

Each key is also a variable: `data_dir` is `WRAC_DATA_DIR`.
"""

PRICES = """\
### `[prices."MODEL"]`

US dollars per million tokens. As a variable it is JSON: `WRAC_PRICES='{"mine": {"input": 0.1, "output": 0.4}}'`.
"""

NOTIFY = """\
### `[notify]`

What is sent, and when, stands in [scheduling](scheduling.md#being-told). As a variable it is JSON:
`WRAC_NOTIFY='{"command": ["notify-team"], "stale_after": "3d"}'`.
"""

SITES = """\
## `sites/NAME.toml`

`wrac crawl NAME` and `scrapy crawl docs_site -a site=NAME` read it; without a name it is `sites/docs_site.toml`.
"""

EXAMPLE = """\
## Example

```toml
# sites/handbook.toml
start_urls = ["https://docs.example.org/en/"]
allow = ["/en/"]
deny = ["/en/archive/"]

[auth]
header_env = { Authorization = "DOCS_TOKEN" }
```
"""


def page() -> str:
    """The whole page as Markdown."""
    parts = [
        INTRODUCTION,
        SETTINGS,
        _table(Settings, leave_out=("notify",)),
        PRICES,
        _table(PriceEntry),
        NOTIFY,
        _table(NotifySettings),
        SITES,
        _table(SiteProfile, leave_out=("auth",)),
        "### `[auth]`\n",
        _table(AuthProfile),
        EXAMPLE,
    ]
    return "\n".join(parts)


def _table(model: type[BaseModel], leave_out: tuple[str, ...] = ()) -> str:
    rows = ["| key | type | default | |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        if name not in leave_out:
            rows.append(f"| `{name}` | {_type(field)} | {_default(field)} | {field.description} |")
    return "\n".join(rows) + "\n"


def _type(field: FieldInfo) -> str:
    annotation: Any = field.annotation
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{json.dumps(value)}`" for value in get_args(annotation))
    if get_origin(annotation) is tuple:
        return "list of strings"
    if get_origin(annotation) is dict:
        return "table of strings" if str in get_args(annotation)[1:] else "table of tables"
    if get_origin(annotation) is UnionType:
        annotation = next(each for each in get_args(annotation) if each is not type(None))
    names = {str: "string", Path: "path", int: "whole number", float: "number", bool: "`true` or `false`"}
    return names[annotation]


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "required"
    if isinstance(value, Path):
        value = str(value)
    return f"`{json.dumps(value)}`" if value not in ("", (), {}, None) else "empty"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
