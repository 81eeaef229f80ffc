"""PostgreSQL as the ledger: its URLs, its driver, and its errors in our words."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any, Literal

from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError

DRIVER = "pg8000"
INSTALL = "pip install 'wrac[postgres]'"
ANSWER_SECONDS = 120
"""How long a server may be silent. Above what it waits for a lock; no query of the ledger takes nearly as long."""

_SCHEMES = frozenset({"postgres", "postgresql"})
_DISK_FULL = "53100"
_LOCKED = frozenset({"55P03", "40P01", "57014"})
_NO_RIGHT = frozenset({"42501", "25006", "3F000"})
_REFUSED = frozenset({"28000", "28P01", "3D000"})


def with_driver(url: sa.URL) -> sa.URL:
    """``postgres://`` and ``postgresql://`` name our driver; a URL that names one keeps it."""
    return url.set(drivername=f"postgresql+{DRIVER}") if url.drivername in _SCHEMES else url


def missing_driver(shown: str, error: ImportError) -> ConfigError:
    """The driver of a ledger's URL is not installed."""
    name = (error.name or DRIVER).partition(".")[0]
    how = INSTALL if name == DRIVER else f"pip install {name}"
    return ConfigError(f"ledger {shown!r} in wrac.toml needs the driver {name}, which is not installed: {how}")


def engine_options(url: sa.URL, busy_seconds: int) -> tuple[sa.URL, dict[str, Any]]:
    """URL and options for ``create_engine``: a connection that the server closed is replaced before it is used."""
    options: dict[str, Any] = {"pool_pre_ping": True, "pool_recycle": 3600}
    if url.drivername != f"postgresql+{DRIVER}":
        return url, options
    # pg8000 knows none of libpq's parameters, which providers put into the URLs that they hand out.
    modes = {key: str(value) for key, value in url.query.items() if key in ("sslmode", "sslrootcert")}
    url = url.difference_update_query([*modes, "channel_binding"])
    options["connect_args"] = {
        "ssl_context": _tls(modes),
        "timeout": ANSWER_SECONDS,
        "application_name": "wrac",
        "startup_params": {"lock_timeout": f"{busy_seconds}s"},
    }
    return url, options


def _tls(modes: Mapping[str, str]) -> ssl.SSLContext | Literal[False] | None:
    """What libpq means by ``sslmode`` (its documentation, section "SSL Support"), as pg8000 takes it."""
    mode = modes.get("sslmode", "prefer")
    if mode in ("disable", "allow", "prefer"):
        return False if mode == "disable" else None
    if mode not in ("require", "verify-ca", "verify-full"):
        raise ConfigError(f"sslmode={mode} in the URL of the ledger: use disable, require, verify-ca or verify-full")
    root = modes.get("sslrootcert", "")
    context = ssl.create_default_context(cafile=root if root not in ("", "system") else None)
    context.check_hostname = mode == "verify-full"
    if mode == "require" and not root:
        context.verify_mode = ssl.CERT_NONE
    return context


def explain(name: str, error: DBAPIError, busy_seconds: int) -> str:
    """What went wrong, and the next step."""
    code, said = _code_and_message(error)
    if code == _DISK_FULL:
        return f"no space is left for the ledger {name}. Free some, then run the same command again: it goes on."
    if code in _LOCKED:
        return f"the ledger {name} was locked for {busy_seconds} s by another process. Run the same command again."
    if code in _REFUSED:
        return f"the ledger {name} refuses the connection: {said}. Check its URL in wrac.toml (WRAC_LEDGER)."
    if code in _NO_RIGHT:
        return (
            f"the ledger {name} may not be written: {said}. Its user must be allowed to create tables there, "
            "e.g. as the owner of the database."
        )
    if error.connection_invalidated or not code or code.startswith(("08", "57P")):
        return (
            f"the ledger {name} cannot be reached: {said}. Check that the server runs, then run the same command again."
        )
    return f"the ledger {name} cannot be used: {said} ({code})"


def _code_and_message(error: DBAPIError) -> tuple[str, str]:
    """SQLSTATE (empty where the server did not answer) and the message of any driver's error."""
    cause: Any = error.orig
    told = cause.args[0] if cause is not None and cause.args else ""
    if isinstance(told, dict):  # pg8000: fields of the protocol's ErrorResponse
        return str(told.get("C", "")), str(told.get("M", told))
    return str(getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None) or ""), str(cause).strip()
