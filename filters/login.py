"""Login elements: what holds a password field or a single-sign-on control. Prose about logging in is content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from filters.targets import login_links
from filters.text import holds_content, holds_heading, length_of, quick_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.scope import Scope
    from filters.survey import Survey
    from wrac.records import Removal

_SIGN_ON: Final = re.compile(
    r"(?:sign|log) ?(?:in|up|on) (?:with|using|via) \w"
    r"|continue with (?:google|apple|github|facebook|microsoft|sso|email)|(?:mit|über) \w+ (?:anmelden|einloggen)"
    r"|se connecter avec|iniciar sesión con|continuar con (?:google|apple)|accedi con|entrar com|inloggen met"
    r"|zaloguj się przez|войти через|でログイン|로 로그인|使用.{1,12}登录",
    re.IGNORECASE,
)
_LOGIN_WORDS: Final = re.compile(
    r"\b(?:log ?[io]n|sign ?in|sign ?up|log ?out|register|create (?:an )?account|join (?:now|free)"
    r"|forgot (?:your )?password|manage my account|my account|anmelden|einloggen|registrieren|connexion|se connecter"
    r"|s'inscrire|iniciar sesión|regístrate|accedi|registrati|entrar|cadastre-se|inloggen|aanmelden|logga in|logg inn"
    r"|log ind|kirjaudu|zaloguj|zarejestruj|přihlásit|registrovat|giriş yap|üye ol)\b|войти|регистрация|увійти"
    r"|ログイン|新規登録|로그인|회원가입|登录|登入|注册|تسجيل الدخول|התחבר",
    re.IGNORECASE,
)
_PROSE_TAGS: Final = frozenset({"p", "li", "td", "dd"})
_NEVER_BOX: Final = frozenset({"html", "body", "main", "article", "ol"})
_FURNITURE: Final = frozenset({"header", "nav", "aside", "footer"})
_LONGEST_LABEL: Final = 80
_LONGEST_MENU_ITEM: Final = 30
"""Characters. A longer entry of a list says what it is about."""
_LONGEST_FORM: Final = 1_500
_LONGEST_PROMPT: Final = 240
_PROMPT_LINK_SHARE: Final = 0.5


def drop_login_forms(scope: Scope) -> list[Removal]:
    """Forms and boxes round a password field or a single-sign-on control."""
    removals: list[Removal] = []
    for field in scope.within_few(_credential_fields(scope.survey)):
        removals += scope.cut(_box_round(scope, field), "login.password")
    sign_ons = (e for e in _controls(scope.survey) if _SIGN_ON.search(quick_text(e)[:_LONGEST_LABEL]))
    for control in scope.within_few(sign_ons):
        if not (_is_prose(control) or _is_entry(control, _SIGN_ON)):
            removals += scope.cut(_box_round(scope, control), "login.sign-on")
    return removals


def drop_login_prompts(scope: Scope) -> list[Removal]:
    """Short blocks that are mostly a link to log in or to register ("Log in to comment")."""
    removals: list[Removal] = []
    for control in scope.within_few(_prompts(scope.survey)):
        if length_of(control) > _LONGEST_MENU_ITEM and _is_entry(control, _LOGIN_WORDS):
            continue
        if (block := _prompt_round(scope, control, length_of(control))) is not None:
            removals += scope.cut(block, "login.prompt")
    return removals


def _prompts(survey: Survey) -> Iterator[HtmlElement]:
    for control in _controls(survey):
        label = quick_text(control)
        if label and len(label) <= _LONGEST_LABEL and _LOGIN_WORDS.search(label):
            yield control


def asks_for_credentials(survey: Survey, content: HtmlElement | None) -> bool:
    """Whether a password field stands where content would: inside ``content``, or outside of all furniture.

    A login box in the header of every page asks for nothing that the page itself needs.
    """
    for field in _credential_fields(survey):
        around = list(field.iterancestors())
        if content in around if content is not None else not any(e.tag in _FURNITURE for e in around):
            return True
    return False


def _credential_fields(survey: Survey) -> Iterator[HtmlElement]:
    for field in survey.tagged("input"):
        if field.get("type") == "password" or (field.get("autocomplete") or "").endswith("-password"):
            yield field


def _controls(survey: Survey) -> Iterator[HtmlElement]:
    """Buttons, and links that lead to a login or a registration."""
    yield from survey.tagged("button")
    yield from login_links(survey)


def _is_prose(control: HtmlElement) -> bool:
    """Whether the control stands inside a sentence or a step of a procedure."""
    parent = control.getparent()
    if parent is None:
        return False
    return parent.tag in _PROSE_TAGS and length_of(parent) > 2 * length_of(control) + 20


def _is_entry(control: HtmlElement, login: re.Pattern[str]) -> bool:
    """Whether the control is one entry of a list about other things, e.g. a chapter on logging in by OAuth."""
    item = next(control.iterancestors("li"), None)
    entries = item.getparent() if item is not None else None
    if entries is None:
        return False
    others = [quick_text(entry) for entry in entries.iterchildren("li") if entry is not item]
    return sum(login.search(text[:_LONGEST_LABEL]) is None for text in others) > len(others) / 2


def _box_round(scope: Scope, element: HtmlElement) -> HtmlElement:
    """The closest form, else the outermost short block that holds nothing but the form."""
    for ancestor in element.iterancestors("form", "dialog"):
        if length_of(ancestor) <= _LONGEST_FORM and not _is_page(ancestor):
            return ancestor
    box = element
    for ancestor in element.iterancestors():
        if ancestor is scope.root or ancestor.tag in _NEVER_BOX or length_of(ancestor) > _LONGEST_PROMPT:
            break
        if _is_page(ancestor):
            break
        box = ancestor
    return box


def _is_page(element: HtmlElement) -> bool:
    """Whether the element is more than a form: whole pages are wrapped in one by some frameworks."""
    return holds_content(element) or holds_heading(element, "h1")


def _prompt_round(scope: Scope, control: HtmlElement, label_length: int) -> HtmlElement | None:
    """The outermost short block of which the control is the main part; None where it is part of prose or of a step."""
    if next(control.iterancestors("ol"), None) is not None:
        return None
    block = None if _is_prose(control) else control
    node = control.getparent()
    while node is not None and node is not scope.root and node.tag not in _NEVER_BOX:
        length = length_of(node)
        if length > _LONGEST_PROMPT or label_length < _PROMPT_LINK_SHARE * length or holds_content(node):
            break
        block = node
        node = node.getparent()
    return block
