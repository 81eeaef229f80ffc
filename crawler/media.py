"""Which links and content types hold text for the collection: pages, documents, and everything else."""

from __future__ import annotations

from wrac.urls import path_of

_IMAGES_AND_STYLES = """
png jpg jpeg jpe gif svg svgz webp avif ico bmp tif tiff psd eps woff woff2 ttf otf eot css scss less js mjs map wasm
"""
_SOUND_AND_FILM = "mp3 mp4 m4a m4v ogg oga ogv wav flac webm avi mov mkv wmv srt vtt"
_ARCHIVES = """
zip tar gz tgz bz2 tbz xz txz zst 7z rar jar war whl egg gem deb rpm apk msi exe dmg pkg iso img bin so dll class
"""
_DATA_AND_SOURCES = """
json jsonl ndjson geojson yaml yml toml ini csv tsv sql sqlite db parquet npy npz pkl ipynb
xml xsd xsl xslt dtd rss atom rdf ttl owl ics vcf txt log diff patch asc sig sha256 md5 inv
c h cc cpp hpp py pyc rb rs go java kt swift sh bat ps1 pl epub mobi ps dvi
"""
_TYPES = """
application/zip application/gzip application/x-gzip application/x-tar application/x-bzip2 application/x-xz
application/x-7z-compressed application/vnd.rar application/java-archive application/wasm application/json
application/javascript application/x-javascript text/javascript text/css text/csv text/calendar
application/rss+xml application/atom+xml application/rdf+xml application/ld+json application/manifest+json
application/x-executable application/x-msdownload application/x-debian-package application/epub+zip
application/font-woff application/vnd.ms-fontobject
"""

_DOCUMENT_SUFFIXES = frozenset("docx docm dotx pptx pptm ppsx xlsx xlsm xlsb odt odp ods ott otp ots".split())
_ARCHIVE_TYPES = frozenset({"application/zip", "application/x-zip-compressed", "application/x-zip"})
_ASSET_SUFFIXES = frozenset(f"{_IMAGES_AND_STYLES} {_SOUND_AND_FILM} {_ARCHIVES} {_DATA_AND_SOURCES}".split())
_ASSET_TYPES = frozenset(_TYPES.split())
_ASSET_FAMILIES = ("image/", "audio/", "video/", "font/", "model/")


def asset_suffix(url: str) -> str:
    """The suffix by which the name of a ``request_url`` says that it is no page and no document; else empty.

    What a program answers (a URL with a query) may be anything.
    """
    if "?" in url:
        return ""
    _, dot, suffix = path_of(url).rpartition("/")[2].rpartition(".")
    suffix = suffix.lower()
    return suffix if dot and suffix in _ASSET_SUFFIXES else ""


def is_asset_type(content_type: str, url: str = "") -> bool:
    """Whether a ``Content-Type`` says that the body is no page and no document. Unknown ones may be either.

    So may what is called an archive at a ``request_url`` that is named like a document: Office files are ZIP files, and
    servers that do not know them say no more than that.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _ARCHIVE_TYPES and url and path_of(url).rpartition(".")[2].lower() in _DOCUMENT_SUFFIXES:
        return False
    return kind.startswith(_ASSET_FAMILIES) or kind in _ASSET_TYPES
