"""Login elements: what holds a password field or a single-sign-on control. Prose about logging in is content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.removal import holds_content, text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from filters.scope import Scope
    from wrac.records import Removal

_credential_fields: Final = etree.XPath(
    "descendant::input[@type='password' or @autocomplete='current-password' or @autocomplete='new-password']"
)
_controls: Final = etree.XPath("descendant::*[self::a[@href] or self::button or @role='button']")
_SIGN_ON: Final = re.compile(
    r"(?:sign|log) ?(?:in|up|on) (?:with|using|via) \w|continue with (?:google|apple|github|facebook|microsoft|sso|email)"
    r"|(?:mit|über) \w+ (?:anmelden|einloggen)|se connecter avec|iniciar sesión con|continuar con (?:google|apple)"
    r"|accedi con|entrar com|inloggen met|zaloguj się przez|войти через|でログイン|로 로그인|使用.{1,12}登录",
    re.I,
)
_LOGIN_WORDS: Final = re.compile(
    r"\b(?:log ?[io]n|sign ?in|sign ?up|log ?out|register|create (?:an )?account|join (?:now|free)|forgot (?:your )?password"
    r"|manage my account|my account|anmelden|einloggen|registrieren|connexion|se connecter|s'inscrire|iniciar sesión|"
    r"regístrate|accedi|registrati|entrar|cadastre-se|inloggen|aanmelden|logga in|logg inn|log ind|kirjaudu|"
    r"zaloguj|zarejestruj|přihlásit|registrovat|giriş yap|üye ol)\b|войти|регистрация|увійти|ログイン|新規登録|로그인|"
    r"회원가입|登录|登入|注册|تسجيل الدخول|התחבר",
    re.I,
)
_LOGIN_HREF: Final = re.compile(
    r"(?:^|[/?#&=_.-])(?:log-?in|sign-?in|sign-?up|register|registration|signon|sso|auth|session/new|account/create|join)"
    r"(?:$|[/?#&=_.-])",
    re.I,
)
_LONGEST_FORM: Final = 1_500
_LONGEST_PROMPT: Final = 240
_PROMPT_LINK_SHARE: Final = 0.5


def drop_login_forms(scope: Scope) -> list[Removal]:
    """Forms and boxes round a password field or a single-sign-on control."""
    removals: list[Removal] = []
    for field in _credential_fields(scope.root):
        removals += scope.cut(_box_round(scope, field), "login.password")
    for control in _controls(scope.root):
        if _SIGN_ON.search(text_of(control)[:80]) and not _is_prose(control):
            removals += scope.cut(_box_round(scope, control), "login.sign-on")
    return removals


def drop_login_prompts(scope: Scope) -> list[Removal]:
    """Short blocks that are mostly a link to log in or to register ("Log in to comment")."""
    removals: list[Removal] = []
    for control in _controls(scope.root):
        label = text_of(control)
        if label and len(label) <= 60 and _LOGIN_WORDS.search(label) and _leads_to_login(control):
            block = _prompt_round(scope, control, len(label))
            if block is not None:
                removals += scope.cut(block, "login.prompt")
    return removals


def asks_for_credentials(root: HtmlElement) -> bool:
    """Whether the page holds a password field."""
    return bool(_credential_fields(root))


def _leads_to_login(control: HtmlElement) -> bool:
    return control.tag != "a" or _LOGIN_HREF.search(control.get("href") or "") is not None


def _is_prose(control: HtmlElement) -> bool:
    """Whether the control stands inside a sentence or a step of a procedure."""
    parent = control.getparent()
    if parent is None:
        return False
    return parent.tag in ("p", "li", "td", "dd") and len(text_of(parent)) > 2 * len(text_of(control)) + 20


def _box_round(scope: Scope, element: HtmlElement) -> HtmlElement:
    """The closest form, else the outermost short block that holds nothing but the form."""
    for ancestor in element.iterancestors("form", "dialog"):
        if len(text_of(ancestor)) <= _LONGEST_FORM and not holds_content(ancestor) and ancestor.find(".//h1") is None:
            return ancestor
    box = element
    for ancestor in element.iterancestors():
        if ancestor is scope.root or ancestor.tag in ("body", "main", "article"):
            break
        if len(text_of(ancestor)) > _LONGEST_PROMPT or holds_content(ancestor) or ancestor.find(".//h1") is not None:
            break
        box = ancestor
    return box


def _prompt_round(scope: Scope, control: HtmlElement, label_length: int) -> HtmlElement | None:
    """The outermost short block of which the control is the main part; None where it is part of prose."""
    block: HtmlElement | None = None
    node = control.getparent()
    if node is not None and not _is_prose(control):
        block = control
    while node is not None and node is not scope.root and node.tag not in ("body", "main", "article", "ol"):
        length = len(text_of(node))
        if length > _LONGEST_PROMPT or label_length < _PROMPT_LINK_SHARE * length or holds_content(node):
            break
        block = node
        node = node.getparent()
    return block
