"""Text that a reader of the page cannot see: removed and recorded, since it may be meant for machines alone.

What a control of the page opens (tab panels, accordions, details) is hidden and legitimate; it stays.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.removal import PREVIEW_CHARACTERS, locator
from filters.text import holds_content, length_of
from wrac.records import Removal

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from filters.scope import Scope

_MATH: Final = ("math", "annotation", "{http://www.w3.org/1998/Math/MathML}math")
_INVISIBLE_STYLE: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![-\w])opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)"
    r"|(?:text-indent|left|top|right|margin-left|margin-top)\s*:\s*-\d{3,}(?:\.\d+)?(?:px|em|rem|vw)"
    r"|clip\s*:\s*rect\(\s*(?:0|1px)|clip-path\s*:\s*inset\(\s*(?:50|100)%",
    re.IGNORECASE,
)
_COLLAPSED_STYLE: Final = re.compile(
    r"(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*0(?:px|em|%)?\s*(?:;|!|$)", re.IGNORECASE
)
_OVERFLOW_HIDDEN: Final = re.compile(r"overflow(?:-[xy])?\s*:\s*hidden", re.IGNORECASE)
_HIDING_CLASSES: Final = frozenset(
    """
    sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader hidden is-hidden
    d-none u-hidden a11y-hidden assistive-text element-invisible hide-text hidden-visually offscreen show-for-sr
    is-sr-only sr-only-focusable d-print-block
    """.split()
)
_SHOWN_ELSEWHERE: Final = re.compile(
    r"(?:^|\s)(?:\w+:(?:block|flex|grid|inline|inline-block|table|contents)|d-\w\w-\w+|\w+:not-sr-only)(?:\s|$)"
)
_OPENED_CLASSES: Final = re.compile(
    r"(?:^|[\s_-])(?:tab|tabs|tabpanel|tab-pane|tab-content|tabcontent|tabbed|accordion|collapse|collapsible|"
    r"collapsable|expand|expandable|toggle|faq|answer|panel|spoiler|details|carousel|slide|step|dropdown-content|code-group)"
    r"(?:$|[\s_-])|tabpanel|tabcontent|accordion|collaps|expand",
    re.IGNORECASE,
)
_LONGEST_LABEL: Final = 200
_CONTROL_SIZE: Final = 12

# Tag characters can smuggle whole sentences (Unicode 16, section 23.9); the flag emoji are their one legitimate use.
_FLAG: Final = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
_JOINER_NEEDED: Final = re.compile(
    r"(?<=[\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1000-\u109f\u1780-\u17ff\ufb50-\ufeff"
    "\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff])[\u200c\u200d]"
)
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\ufffe\uffff\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]+"
)


def drop_hidden_elements(scope: Scope) -> list[Removal]:
    """Elements hidden by attribute, inline style or a well-known class, except those that a control opens."""
    removals: list[Removal] = []
    for element in scope.survey.marked_hidden:
        rule = _hiding_rule(element)
        if rule and scope.contains(element) and not _is_opened(scope, element) and not _holds_math(element):
            removals += scope.cut(element, rule)
    for classes, elements in scope.survey.by_class.items():
        if _HIDING_CLASSES.isdisjoint(classes.split()) or _SHOWN_ELSEWHERE.search(classes):
            continue
        for element in scope.within(elements):
            if length_of(element) <= _LONGEST_LABEL and not holds_content(element) and not _is_opened(scope, element):
                removals += [] if _holds_math(element) else scope.cut(element, "hidden.class")
    return removals


def _holds_math(element: HtmlElement) -> bool:
    """Renderers put the readable source of a formula into a hidden element beside its picture."""
    return next(element.iter(*_MATH), None) is not None


def _hiding_rule(element: HtmlElement) -> str:
    style = element.get("style")
    if style and _is_invisible(style):
        return "hidden.style"
    hidden = element.get("hidden")
    if hidden is not None and hidden.strip().lower() not in ("false", "until-found"):
        return "hidden.attribute"
    if element.get("aria-hidden") == "true" and element.tag != "img" and _is_decoration(element):
        return "hidden.aria"
    return ""


@lru_cache(maxsize=20_000)
def _is_invisible(style: str) -> bool:
    if _INVISIBLE_STYLE.search(style):
        return True
    return bool(_COLLAPSED_STYLE.search(style) and _OVERFLOW_HIDDEN.search(style))


def _is_decoration(element: HtmlElement) -> bool:
    """aria-hidden text is seen by most readers, so only marks and duplicates go, never a block of content."""
    if element.tag in ("span", "i", "svg", "a", "b", "em", "small", "button"):
        return True
    return length_of(element) <= _LONGEST_LABEL and not holds_content(element) and element.find(".//p") is None


def _is_opened(scope: Scope, element: HtmlElement) -> bool:
    """Whether a control opens the element: it says so, a control names it, or one stands right before it."""
    identifier = element.get("id")
    if element.get("role") == "tabpanel" or identifier in scope.survey.opened_ids:
        return True
    if identifier in scope.survey.fragments:
        return True
    if element.get("aria-labelledby") and element.get("role") == "region":
        return True
    parent = element.getparent()
    names = f"{element.get('class') or ''} {(parent.get('class') or '') if parent is not None else ''}"
    if _OPENED_CLASSES.search(names):
        return True
    if next(element.iterancestors("details"), None) is not None:
        return True
    before = element.getprevious()
    return before is not None and _is_control(before)


def _is_control(element: HtmlElement) -> bool:
    if not isinstance(element.tag, str):
        return False
    return any(
        e.tag in ("button", "summary") or e.get("aria-expanded") or e.get("role") == "button" or e.get("onclick")
        for e in islice(element.iter("*"), _CONTROL_SIZE)
    )


def drop_invisible_characters(scope: Scope) -> list[Removal]:
    """Zero-width, tag and direction characters out of all text; joiners that scripts and emoji need stay.

    One removal tells how many there were; its preview spells out what tag characters said.
    """
    whole = etree.tostring(scope.root, method="text", encoding="unicode", with_tail=False)
    if whole.isascii() or not _INVISIBLE.search(whole):  # a tree holds no control characters (XML 1.0, section 2.2)
        return []
    found: list[str] = []
    for element in scope.root.iter():
        if element.text and _INVISIBLE.search(element.text):
            element.text = _without_invisible(element.text, found)
        if element is not scope.root and element.tail and _INVISIBLE.search(element.tail):
            element.tail = _without_invisible(element.tail, found)
    count = sum(map(len, found))
    if not count:
        return []
    return [Removal("hidden.characters", locator(scope.root), count, _spelled_out("".join(found)))]


def _without_invisible(text: str, found: list[str]) -> str:
    kept: dict[int, int] = {m.start(): m.end() for m in _FLAG.finditer(text)}
    kept |= {m.start(): m.end() for m in _JOINER_NEEDED.finditer(text)}
    spans = sorted(kept.items())

    def drop(run: re.Match[str]) -> str:
        held = [c for i, c in enumerate(run.group(), run.start()) if any(start <= i < end for start, end in spans)]
        dropped = len(run.group()) - len(held)
        if dropped:
            found.append("".join(c for c in run.group() if c not in held))
        return "".join(held)

    return _INVISIBLE.sub(drop, text)


def _spelled_out(characters: str) -> str:
    said = "".join(chr(ord(c) - 0xE0000) for c in characters if 0xE0020 <= ord(c) <= 0xE007E)
    names = " ".join(sorted({f"U+{ord(c):04X}" for c in characters if ord(c) < 0xE0000}))
    return f"{said} {names}".strip()[:PREVIEW_CHARACTERS]
