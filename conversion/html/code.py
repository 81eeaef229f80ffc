"""Code blocks: verbatim, with their language, without line numbers, prompts to copy or highlighting."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.blocks import Code
from conversion.html.marks import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_GUTTER = re.compile(
    r"(?:^|\s)(?:lineno|linenos|line-?numbers?(?:-rows)?|linenumber|line-num|ln|lnt|gutter|rouge-gutter|gl|blob-num"
    r"|hljs-ln-numbers|hljs-ln-n|code-line-number|react-code-line-number|ec-gutter|diff-line-num|lnr|linenr)(?:\s|$)",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"(?:^|\s)(?:line|token-line|code-line|cl|view-line|ec-line|hljs-ln-line|cm-line|CodeMirror-line|react-code-line|"
    r"highlight-line|code__line|row)(?:\s|$)"
)
_TOOL = re.compile(
    r"copy|clipboard|toolbar|visually-hidden|sr-only|hljs-copy|code-header|lang-label|conum-tip", re.IGNORECASE
)
_BLOCK_LINES = frozenset(
    [
        "div",
        "p",
        "li",
        "tr",
        "ol",
        "ul",
        "table",
        "tbody",
        "blockquote",
        "section",
        "dd",
        "dt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    ]
)
_UNREAD = frozenset(["script", "style", "button", "template", "select", "noscript", "svg", "textarea", "rp", "rt"])
_NUMBERS = re.compile(r"[\s\d.:|]*\d[\s\d.:|]*")

_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*|sourceCode\s+|src-|code-lang-)"
    r"([A-Za-z][\w+#.-]*)"
)
_BARE_LANGUAGE = re.compile(
    r"(?:^|\s)(?:hljs|sourceCode|chroma|prism|shiki|src|code|highlight|programlisting|rouge|prettyprint)\s"
)
_NO_LANGUAGE = frozenset(
    [
        "default",
        "none",
        "text",
        "plain",
        "plaintext",
        "txt",
        "plain-text",
        "nohighlight",
        "no-highlight",
        "language",
        "hljs",
        "code",
        "highlight",
        "notranslate",
        "literal-block",
        "highlighter-rouge",
        "undefined",
        "auto",
        "unknown",
        "example",
        "verbatim",
        "linenums",
        "line-numbers",
        "numbersource",
        "numberlines",
    ]
)
_ALIASES = {
    "python3": "python", "py": "python", "py3": "python", "ipython3": "python", "pycon3": "pycon", "js": "javascript",
    "ts": "typescript", "sh": "bash", "shell-session": "console", "shellsession": "console", "c++": "cpp", "rb": "ruby",
    "yml": "yaml", "golang": "go", "rs": "rust", "docker": "dockerfile", "objc": "objective-c",
}  # fmt: skip
_KNOWN = frozenset(
    [
        "bash",
        "sh",
        "zsh",
        "shell",
        "console",
        "python",
        "pycon",
        "python3",
        "py",
        "javascript",
        "js",
        "typescript",
        "ts",
        "jsx",
        "tsx",
        "java",
        "kotlin",
        "scala",
        "groovy",
        "c",
        "cpp",
        "c++",
        "csharp",
        "cs",
        "go",
        "rust",
        "ruby",
        "php",
        "perl",
        "lua",
        "r",
        "julia",
        "swift",
        "haskell",
        "elixir",
        "erlang",
        "clojure",
        "lisp",
        "scheme",
        "sql",
        "html",
        "xml",
        "css",
        "scss",
        "less",
        "json",
        "yaml",
        "yml",
        "toml",
        "ini",
        "diff",
        "dockerfile",
        "docker",
        "makefile",
        "nginx",
        "apache",
        "graphql",
        "http",
        "powershell",
        "batch",
        "vb",
        "markdown",
        "md",
        "rst",
        "tex",
        "latex",
        "matlab",
        "octave",
        "fortran",
        "ada",
        "pascal",
        "dart",
        "vim",
        "asm",
        "llvm",
        "protobuf",
        "terraform",
        "hcl",
        "nix",
    ]
)


def code_block(element: HtmlElement) -> Code | None:
    r"""The element's code, None where it is blank. Line ends are ``\\n``; lines keep their leading white space."""
    text = verbatim(element)
    if not text.strip():
        return None
    return Code(text, language(element))


def verbatim(element: HtmlElement) -> str:
    """Text of a code element: one line per line that a reader sees, gutters and tools left out."""
    text = "".join(element.itertext()) if _is_simple(element) else "".join(_pieces(element))
    text = visible(text).replace("\r\n", "\n").replace("\r", "\n")
    return _LEADING_BLANK_LINES.sub("", text.rstrip())


def _is_simple(element: HtmlElement) -> bool:
    for inner in element.iter():
        tag = inner.tag
        if tag == "span":
            name = inner.get("class")
            # Highlighters' token classes are short; names of lines and gutters are looked at.
            if name and ("l" in name and (_GUTTER.search(name) or _LINE.search(name))):
                return False
        elif tag not in ("code", "pre", "a", "b", "i", "em", "strong", "font", "var", "samp", "kbd", "tt", "mark", "u"):
            return False
    return True


def _pieces(element: HtmlElement) -> Iterator[str]:
    """Iterative, since generated code may be nested deeply."""
    ended = True
    stack: list[tuple[HtmlElement, Iterator[HtmlElement], bool]] = [(element, iter(element), False)]
    if element.text:
        yield element.text
        ended = element.text.endswith("\n")
    while stack:
        parent, children, is_line = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if is_line and not ended:
                yield "\n"
                ended = True
            tail = parent.tail if stack else None
            if tail and not (is_line and not tail.strip() and ended):
                yield tail
                ended = tail.endswith("\n")
            continue
        if _unread(child):
            if child.tag == "br":
                yield "\n"
                ended = True
            if child.tail:
                # Doxygen parts number and code by a no-break space of its own.
                yield child.tail.removeprefix("\xa0") if child.tag != "br" else child.tail
                ended = child.tail.endswith("\n")
            continue
        starts_line = child.tag in _BLOCK_LINES or _is_line_span(child)
        if starts_line and not ended and child.tag in _BLOCK_LINES:
            yield "\n"
            ended = True
        if child.text:
            if not (child.tag in ("table", "tbody", "tr", "ol", "ul") and not child.text.strip()):
                yield child.text
                ended = child.text.endswith("\n")
        elif starts_line:
            ended = ended and child.tag in ("table", "tbody", "tr", "ol", "ul")
        stack.append((child, iter(child), starts_line))


def _unread(element: HtmlElement) -> bool:
    tag = element.tag
    if not isinstance(tag, str) or tag in _UNREAD or tag == "br":
        return True
    name = element.get("class")
    if element.get("data-line-number") is not None and not _text(element).strip():
        return True
    if not name:
        return False
    if _GUTTER.search(name):
        return _NUMBERS.fullmatch(_text(element)) is not None or not _text(element).strip()
    return tag in ("div", "span", "a") and _TOOL.search(name) is not None


def _text(element: HtmlElement) -> str:
    return str(element.text_content())


def _is_line_span(element: HtmlElement) -> bool:
    """Whether a span shows one line that no line end follows: some highlighters leave line ends to the style sheet."""
    if element.tag not in ("span", "code"):
        return False
    name = element.get("class") or ""
    if element.get("data-line") is None and not _LINE.search(name):
        return False
    if element.tail and "\n" in element.tail:
        return False
    neighbour = element.getnext()
    if neighbour is None:
        neighbour = element.getprevious()
    return neighbour is not None and neighbour.tag == element.tag and neighbour.get("class") == element.get("class")


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
    for attribute in ("data-lang", "data-language", "data-code-language"):
        if name := _canonical(element.get(attribute) or ""):
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
