"""The language of code, as highlighters and generators name it in classes and data attributes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*|sourceCode\s+|src-|code-lang-)"
    r"([A-Za-z][\w+#.-]*)"
)
_BARE_LANGUAGE = re.compile(
    r"(?:^|\s)(?:hljs|sourceCode|chroma|prism|shiki|src|code|highlight|programlisting|rouge|prettyprint)\s"
)
_NO_LANGUAGE = frozenset([
    "default", "none", "text", "plain", "plaintext", "txt", "plain-text", "nohighlight", "no-highlight",
    "language", "hljs", "code", "highlight", "notranslate", "literal-block", "highlighter-rouge", "undefined",
    "auto", "unknown", "example", "verbatim", "linenums", "line-numbers", "numbersource", "numberlines",
])  # fmt: skip
_ALIASES = {
    "python3": "python", "py": "python", "py3": "python", "ipython3": "python", "pycon3": "pycon", "js": "javascript",
    "ts": "typescript", "sh": "bash", "shell-session": "console", "shellsession": "console", "c++": "cpp", "rb": "ruby",
    "yml": "yaml", "golang": "go", "rs": "rust", "docker": "dockerfile", "objc": "objective-c",
}  # fmt: skip
_KNOWN = frozenset([
    "bash", "sh", "zsh", "shell", "console", "python", "pycon", "python3", "py", "javascript", "js",
    "typescript", "ts", "jsx", "tsx", "java", "kotlin", "scala", "groovy", "c", "cpp", "c++", "csharp", "cs",
    "go", "rust", "ruby", "php", "perl", "lua", "r", "julia", "swift", "haskell", "elixir", "erlang", "clojure",
    "lisp", "scheme", "sql", "html", "xml", "css", "scss", "less", "json", "yaml", "yml", "toml", "ini", "diff",
    "dockerfile", "docker", "makefile", "nginx", "apache", "graphql", "http", "powershell", "batch", "vb",
    "markdown", "md", "rst", "tex", "latex", "matlab", "octave", "fortran", "ada", "pascal", "dart", "vim",
    "asm", "llvm", "protobuf", "terraform", "hcl", "nix",
])  # fmt: skip


def language(element: HtmlElement) -> str:
    """Language named by the element, its ``code`` child or a wrapper up to three levels above; empty if none is."""
    inner = element.find(".//code") if element.tag != "code" else None
    candidates = [element] if inner is None else [inner, element]
    parent = element.getparent()
    while parent is not None and len(candidates) < 6:
        candidates.append(parent)
        if len(parent) > 4 and parent.tag not in ("tr", "table", "tbody"):
            break
        parent = parent.getparent()
    for index, candidate in enumerate(candidates):
        if found := _language_of(candidate, own=index < 2):
            return found
    return ""


def _language_of(element: HtmlElement, own: bool) -> str:
    for attribute in ("data-lang", "data-language", "data-code-language", "language"):
        if (named := element.get(attribute)) and (name := _canonical(named)):
            return name
    classes = element.get("class") or ""
    if not classes:
        return ""
    for match in _LANGUAGE_CLASS.finditer(classes):
        if name := _canonical(match.group(1)):
            return name
    if own and _BARE_LANGUAGE.search(classes + " "):
        return next((_canonical(c) for c in classes.split() if c.lower() in _KNOWN), "")
    if own and element.tag in ("code", "pre") and " " not in classes.strip() and classes.strip().lower() in _KNOWN:
        return _canonical(classes.strip())
    return ""


def _canonical(name: str) -> str:
    name = name.strip().lower().strip(".")
    if not name or name in _NO_LANGUAGE or not re.fullmatch(r"[a-z][\w+#.-]{0,30}", name):
        return ""
    return _ALIASES.get(name, name)
