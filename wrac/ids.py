"""Identities: every id is a function of content and place, never random, so that running twice changes nothing."""

from __future__ import annotations

import hashlib
import uuid

POINT_NAMESPACE = uuid.UUID("6f1c1b1e-6c0a-5d55-9b52-0d5f4f1f8a57")
"""Namespace of all point ids; changing it orphans every collection ever written."""


def digest(data: str | bytes) -> str:
    """BLAKE2b digest of 16 bytes as 32 hex digits (RFC 7693); text is taken as UTF-8, lone surrogates included."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def digest_of(*parts: str) -> str:
    """Digest of several strings, unambiguous about where one ends and the next begins."""
    hasher = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        hasher.update(len(raw).to_bytes(8, "big"))
        hasher.update(raw)
    return hasher.hexdigest()


def page_id(canonical_url: str) -> str:
    """Identity of a page: digest of its canonical URL."""
    return digest_of("page", canonical_url)


def point_id(site: str, page: str, text_digest: str, occurrence: int) -> str:
    """Identity of a chunk in the collection (uuid5, RFC 9562).

    ``occurrence`` counts chunks of the same text inside one page, from 0. Neither position nor heading is part of it:
    text that moves keeps its id.
    """
    return str(uuid.uuid5(POINT_NAMESPACE, digest_of(site, page, text_digest, str(occurrence))))
