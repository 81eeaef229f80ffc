"""The corpus of the gate: written for it, committed, in the layout of RAG-Multi-Corpus.

datasets/ORGANISATION/md/*.md          what a perfect conversion gives (written by hand)
datasets/ORGANISATION/html|docx|pdf/*  pages of all shapes, a Word file and a PDF, of the same names
datasets/gate queries.csv              questions with quotes of the Markdown
unwanted.txt                           furniture of the pages; none of it may come out
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.inputs import ROOT
from evaluation.corpora.ragmc import RagMultiCorpus
from evaluation.documents import read_documents
from wrac.ids import digest, digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wrac.records import MarkdownDocument

CORPUS = ROOT / "benchmarks" / "gate" / "corpus"
FORMATS = ("html", "docx", "pdf")


@dataclass(frozen=True, slots=True)
class GateDocument:
    """One document: what it is turned into, and what it should be."""

    organisation: str
    filename: str
    document: MarkdownDocument
    expected: str


def open_corpus(root: Path = CORPUS) -> RagMultiCorpus:
    """The corpus with its questions."""
    return RagMultiCorpus(root)


def converted_documents(corpus: RagMultiCorpus) -> tuple[list[GateDocument], dict[str, str]]:
    """All documents through our conversion, in order; and why others could not be converted, by file name."""
    documents: list[GateDocument] = []
    unread: dict[str, str] = {}
    for organisation in corpus.organisations:
        expected = {file.stem: file.read_text(encoding="utf-8") for file in corpus.files(organisation, "md")}
        files = [file for kind in FORMATS for file in corpus.files(organisation, kind)]
        read, failed = read_documents(files)
        unread |= failed
        for named in read:
            gold = expected[named.filename.rpartition(".")[0]]
            documents.append(GateDocument(organisation, named.filename, named.document, gold))
    return documents, unread


def unwanted(root: Path = CORPUS) -> list[str]:
    """Texts of the pages' furniture."""
    return [line for line in (root / "unwanted.txt").read_text(encoding="utf-8").split("\n") if line]


def file_digests(root: Path) -> Mapping[str, str]:
    """Digest of every file below ``root``, by its path there, sorted."""
    files = sorted(file for file in root.rglob("*") if file.is_file())
    return {file.relative_to(root).as_posix(): digest(file.read_bytes()) for file in files}


def folder_digest(root: Path) -> str:
    """One digest of all files below ``root``, their names included."""
    return digest_of(*(part for pair in file_digests(root).items() for part in pair))
