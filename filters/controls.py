"""Forms, buttons and fields: controls of the page rather than text of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from filters.text import holds_content, holds_heading, length_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.scope import Scope
    from filters.survey import Survey
    from wrac.records import Removal

_TEXT_FIELDS: Final = frozenset({"", "text", "email", "tel", "url", "number", "password", "search"})
_HEADS: Final = frozenset({"summary", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "th"})
_OPENING_KEYS: Final = ("aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle", "data-target")
_LONGEST_FORM: Final = 600
_LONGEST_BUTTON: Final = 60


def drop_forms(scope: Scope) -> list[Removal]:
    """Forms that are filled in: contact, comment, subscription. A page that is wrapped in a form stays."""
    if scope.documented:
        return []
    removals: list[Removal] = []
    for form in scope.within(_forms_with_fields(scope.survey)):
        if length_of(form) <= _LONGEST_FORM and not holds_content(form) and not holds_heading(form, "h1", "h2"):
            removals += scope.cut(form, "furniture.form")
    return removals


def _forms_with_fields(survey: Survey) -> Iterator[HtmlElement]:
    for form in survey.tagged("form"):
        if any((field.get("type") or "").lower() in _TEXT_FIELDS for field in form.iter("input", "textarea")):
            yield form


def drop_controls(scope: Scope) -> list[Removal]:
    """Buttons, selections and fields. What opens content names it, so such buttons stay, and so do those in prose."""
    removals: list[Removal] = []
    for control in scope.survey.tagged("select", "datalist", "input"):
        removals += scope.cut(control, "furniture.control")
    for button in scope.within(scope.survey.tagged("button")):
        if not _is_heading_of_content(button) and not _stands_in_prose(button):
            removals += scope.cut(button, "furniture.control")
    return removals


def _is_heading_of_content(button: HtmlElement) -> bool:
    """Whether the button is the head of a tab or accordion, or wraps content of its own."""
    if button.get("role") == "tab" or any(button.get(key) is not None for key in _OPENING_KEYS):
        return bool(text_of(button))
    if length_of(button) > _LONGEST_BUTTON or holds_content(button):
        return True
    return any(ancestor.tag in _HEADS or ancestor.get("role") in ("tablist", "tab") for ancestor in _near(button))


def _near(button: HtmlElement) -> Iterator[HtmlElement]:
    node = button.getparent()
    for _ in range(3):
        if node is None:
            return
        yield node
        node = node.getparent()


def _stands_in_prose(button: HtmlElement) -> bool:
    """Whether there is text right beside the button, as where a manual shows the button to press."""
    parent = button.getparent()
    if parent is None or parent.tag not in ("p", "li", "td", "dd"):
        return False
    before = button.getprevious()
    beside = (parent.text if before is None else before.tail, button.tail)
    return any(text and text.strip() for text in beside)
