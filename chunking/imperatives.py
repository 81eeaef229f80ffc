"""Does a line tell its reader to do something? Word lists of what instructions open with, in the common languages."""

from __future__ import annotations

import re

_STEP = re.compile(
    r"[\s#>*_`(\[]*(?:(?:step|schritt|[ée]tape|paso|passo|passaggio|fase|stap|krok|steg|trin|adım|шаг|крок|bước|langkah|βήμα"
    r"|ステップ|手順)\s*(?:no\.?\s*|n[º°]\s*|#)?(\d{1,3})\b|第?\s*(\d{1,3})\s*(?:步|단계)|步骤\s*(\d{1,3})|단계\s*(\d{1,3}))",
    re.IGNORECASE,
)

_ENGLISH = frozenset(
    """accept access acknowledge activate add adjust agree align allow append apply approve arrange ask assemble assign attach
    avoid await back begin block boot bring browse build burn buy calculate call cancel carry change charge check choose
    clean clear click clone close collect combine commit compare compile complete compute configure confirm connect
    consider consult contact continue convert cook copy correct count create cut deactivate decide declare define delete
    deploy deselect design destroy detach determine develop disable disconnect dismiss dispose do double-click download
    drag drain draw drill drive drop dry edit eject empty enable encrypt engage ensure enter erase establish estimate
    evaluate examine execute exit expand export extract fasten fetch file fill filter find finish fit fix flash fold
    follow force format forward gather generate get give go grab grant group hang have heat hit hold hover identify
    import include increase indicate initialize inject insert inspect install instruct invite invoke issue join keep kill
    label launch leave let lift limit link list load locate lock log login look loosen lower lubricate make manage map
    mark match measure merge mix modify monitor mount move multiply name navigate note notify observe obtain open order
    organize overwrite park paste patch pay perform pick place plan plug point position pour power prepare press prevent
    print proceed process provide publish pull pump purchase push put query quit raise read reattach reboot rebuild
    receive reconnect record redirect reduce refer refill refresh register reinstall release reload remember remove
    rename repair repeat replace reply report request require reset resolve restart restore retrieve return review
    right-click rinse rotate run save scan schedule screw scroll seal search secure see select send separate set setup
    share ship shut sign sign-in simplify skip slide solve sort specify spin split spread stand start state stay stop store stow
    submit subscribe subtract supply switch sync synchronize take talk tap tell test tick tie tighten toggle touch
    track train transfer trigger trim try tune turn type uncheck undo uninstall unlock unmount unpack unplug unscrew
    unzip update upgrade upload use validate verify view visit wait walk warm wash watch wear weigh wipe wire withdraw
    work wrap write zoom""".split()
)
_OPENERS = frozenset(
    """after again also always and as at before by carefully don't during finally first for from gently if immediately in into
    lastly manually never next not now on once optional optionally or please quickly repeat second secondly simply slowly
    starting then third to under until upon using when whenever where while with within without you your you'll""".split()
)
_OTHER = re.compile(
    r"""(?:
      \w+(?:en|ern|eln)\s+sie\b | (?:bitte|klicke?|öffne|wähle|gib|gehe?|drücke?|starte|installiere|füge|setze|prüfe)\b
    | (?:[a-zà-ÿ]+ez|va|fais|clique|ouvre|sélectionne|choisis|entre|appuie)\b
    | (?:haga|haz|abra|abre|seleccione|selecciona|pulse|pulsa|introduzca|escriba|elija|vaya|inicie|inicia|descargue|instale|configure|guarde|ejecute|cree|compruebe|espere|añada|agregue|conecte|retire|utilice)\b
    | (?:clique|abra|selecione|escolha|digite|insira|toque|acesse|vá|baixe|salve|execute|crie|adicione|verifique|aguarde|remova)\b
    | (?:fai|fare|apri|aprire|seleziona|selezionare|scegli|inserisci|premi|premere|vai|scarica|installa|salva|esegui|crea|aggiungi|verifica|attendi|rimuovi|clicca|cliccare)\b
    | (?:klik|open|selecteer|kies|voer|ga|druk|start|download|installeer|sla|maak|voeg|controleer|wacht|verwijder|typ)\b
    | (?:нажмите|откройте|выберите|введите|перейдите|установите|скачайте|запустите|сохраните|создайте|добавьте|проверьте|подождите|удалите|щёлкните|щелкните|укажите)\b
    | (?:kliknij|otwórz|wybierz|wpisz|przejdź|naciśnij|zainstaluj|pobierz|zapisz|utwórz|dodaj|sprawdź|poczekaj|usuń|uruchom)\b
    | (?:点击|单击|打开|选择|输入|进入|下载|安装|运行|保存|创建|添加|检查|确认|等待|删除|按|使用|点擊|打開|選擇|輸入|下載|安裝|請|请)
    | .*(?:してください|します|する|をクリック|を押す|を選択|を開く|을\s?클릭|를\s?클릭|하세요|십시오|합니다)[。.]?\s*$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_MARKUP = re.compile(r"[*_`\[\]\"'“”‘’(){}<>]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")
_MAX_LABEL_WORDS = 8


def step_number(text: str) -> int | None:
    """N where the text opens with "Step N" in a known language, else None."""
    match = _STEP.match(text)
    return int(match[match.lastindex or 1]) if match else None


def is_imperative(text: str) -> bool:
    """Whether the line is an instruction: it opens with a command, or with a short label or clause before one."""
    plain = _MARKUP.sub("", text).strip()
    if _is_command(plain):
        return True
    first = _WORD.match(plain)
    if first and first[0].lower() in _OPENERS:
        rest = plain[first.end() :].lstrip(" ,:")
        if _is_command(rest):
            return True
        clause, comma, after = plain.partition(",")
        if comma and _is_command(after.lstrip()):
            return True
    label, colon, after = plain.partition(":")
    return bool(colon) and len(label.split()) <= _MAX_LABEL_WORDS and _is_command(after.lstrip())


def _is_command(text: str) -> bool:
    word = _WORD.match(text)
    if word and word[0].lower() in _ENGLISH:
        # "Use case", "Open source", "Set of ...": a noun phrase, not an order.
        return not _NOUN_PHRASE.match(text)
    return bool(_OTHER.match(text))


_NOUN_PHRASE = re.compile(
    r"(?:use cases?|open[ -]source|set of|list of|test cases?|access to|changes? (?:to|in)|process of|order of|call for"
    r"|power (?:of|and|steering|windows)|work (?:on|by)|check(?:ing)? accounts?|plan(?:s)? (?:for|of)|state of|report(?:s)? (?:on|of|by))\b",
    re.IGNORECASE,
)
