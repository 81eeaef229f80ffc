"""Facts about consent managers: the ids, classes and elements that they put into pages, and the words on their buttons.

Sources: the element names are those that the products themselves emit; they can be checked against the rule sets of
Consent-O-Matic (MIT) and autoconsent (MPL-2.0), which name the same elements.
"""

from __future__ import annotations

from typing import Final

IDS: Final = frozenset(
    """
    onetrust-consent-sdk onetrust-banner-sdk onetrust-pc-sdk onetrust-style optanon optanon-popup-wrapper
    optanon-popup-bg CybotCookiebotDialog CybotCookiebotDialogBodyUnderlay CookiebotWidget cookiebanner
    usercentrics-root usercentrics-cmp-ui uc-banner-modal didomi-host didomi-popup didomi-notice qc-cmp2-container
    qc-cmp2-ui qc-cmp2-main qcCmpUi qc-cmp-ui-container truste-consent-track trustarc-banner-container
    consent_blackbar truste-consent-content teconsent sp_message_container cmpbox cmpbox2 cmpwrapper
    cmplz-cookiebanner-container cmplz-manage-consent cookie-law-info-bar cookie-law-info-again cliSettingsPopup
    cli-settings-popup cookie-notice BorlabsCookieBox BorlabsCookieBoxWrap cookieConsent cookie-consent cookieconsent
    cookie-bar cookie-banner cookieBanner cookie_banner cookies-banner cookies-eu-banner cookie-popup cookie-message
    cookie-warning cookie-alert cookie-policy-banner cookieChoiceInfo cookie-choice-info cookieNotice cookie_notice
    CookieConsentBanner cookie-consent-banner cookie-consent-modal cookieconsent-container gdpr-cookie-message
    gdpr-banner gdpr-consent gdpr-consent-tool-wrapper gdpr-cookie-notice moove_gdpr_cookie_info_bar
    moove_gdpr_cookie_modal cc-main cc--main cc_div cc-window cm-ov cookiefirst-root cookie-first-root
    iubenda-cs-banner iubenda-cs-container iubenda-iframe termly-code-snippet-support ketch-banner ketch-consent-banner
    lanyard_root transcend-consent-manager osano-cm-dialog axeptio_overlay axeptio_main_button tarteaucitronRoot
    tarteaucitronAlertBig tarteaucitron hs-eu-cookie-confirmation hs-eu-cookie-confirmation-inner
    shopify-pc__banner shopify-pc__modal klaro consent-manager consent_manager consent-banner consent-popup
    consentBanner privacy-banner privacy-consent privacy-notice-banner eu-cookie-law eu_cookie_law_widget-2
    sliding-popup sliding-popup-wrapper snigel-cmp-framework fc-consent-root fast-cmp-root fast-cmp-iframe
    gravitoCMP-background-overlay pubtech-cmp sourcepoint-container coiConsentBanner coiOverlay cookie-information-template-wrapper
    ccc ccc-overlay ccc-module cookie-script cookiescript_injected cookiescript_wrapper cookiescript_injected_wrapper
    cookiehub cookie-hub ch2-container ch2-dialog wt-cli-cookie-banner wt-cli-ckyes-bottom CookieReportsBanner
    js-cookie-consent js-cookie-banner global-cookie-message evidon-banner _evidon_banner _evidon-banner
    _evidon-background adroll_consent_container adopt-controller-button as-oil cookie-agreed bnp_container
    bnp_cookie_banner msccBanner wcpConsentBannerCtrl uhfCookieAlert epaas privacymanager dpcc-banner
    cookiesplus-modal cookiesplus-overlay CookiePrivacyNotice cookiealert
    """.split()
)

CLASSES: Final = frozenset(
    """
    onetrust-pc-dark-filter ot-sdk-container optanon-alert-box-wrapper cc-window cc-banner cc-revoke cookieconsent
    cookie-consent cookie-consent-banner cookie-banner cookie-notice cookie-bar cookies-banner cookiebanner
    cookie-notification cookie-popup cookie-modal cookie-overlay cookie-message cookie-alert cookie-disclaimer
    cookie-law-bar cookielaw-banner cookie-compliance-banner cky-consent-container cky-consent-bar cky-modal
    cky-overlay cmplz-cookiebanner cmplz-blocked-content-notice klaro cookie-modal-root osano-cm-window osano-cm-dialog
    osano-cm-widget qc-cmp2-container qc-cmp-ui-container fc-consent-root fc-dialog-container truste_overlay
    truste_box_overlay trustarc-banner-wrapper evidon-banner evidon-consent-button gdpr-banner gdpr-notice gdpr-popup
    gdpr-cookie-notice gdpr_lightbox moove_gdpr_cookie_modal moove-gdpr-info-bar-container iubenda-cs-container
    termly-styles-root didomi-popup-container didomi-consent-popup didomi-host usercentrics-button uc-banner
    tarteaucitronAlertBigBottom js-cookie-consent js-cookie-banner consent-banner consent-popup consent-modal
    privacy-banner privacy-popup borlabs-cookie BorlabsCookie borlabs-hide ketch-banner pea_cook_wrapper pea_cook_more
    eu-cookie-compliance-banner sliding-popup-bottom sliding-popup-top cli-bar-container cli-modal cli-modal-backdrop
    cookie-law-info-bar wt-cli-cookie-bar axeptio_mount ch2-container shopify-pc__banner__dialog cookiefirst-root
    coi-banner__wrapper ccc-notify m-cookie-banner c-cookie-banner l-cookie-banner cookie-tab-container
    gdpr-consent-tool consentmanager md-consent md-consent__inner
    """.split()
)

TAGS: Final = frozenset(
    {"cookie-banner", "cookie-consent", "cookie-notice", "uc-banner", "mpl-cookie-consent", "transcend-consent"}
)

ID_STARTS: Final = ("sp_message_container_", "cookiescript_", "cmplz-", "tarteaucitron", "qc-cmp2-", "ot-sdk-", "cky-")

COOKIE_WORDS: Final = (
    "cookie",
    "cookies",
    "gdpr",
    "dsgvo",
    "rgpd",
    "ciasteczk",
    "kakor",
    "informasjonskapsler",
    "evästee",
    "evästei",
    "vafrakök",
    "sütik",
    "süti",
    "çerez",
    "slapuk",
    "sīkdat",
    "sīkfail",
    "küpsis",
    "kolačić",
    "piškot",
    "soubory cookie",
    "файлы cookie",
    "куки",
    "кукі",
    "бисквитк",
    "колачић",
    "クッキー",
    "쿠키",
    "小型文字檔案",
    "隐私设置",
    "ملفات تعريف الارتباط",
    "الكوكيز",
    "עוגיות",
    "คุกกี้",
    "কুকি",
    "your privacy choices",
    "consent to",
)
"""What a consent text speaks of, lower case; stems where a language inflects."""

CONTROL_STARTS: Final = (
    # Words with which a consent control begins: accept, agree, allow, reject, refuse, manage, save my choices.
    "accept",
    "agree",
    "i agree",
    "i accept",
    "i understand",
    "allow",
    "enable all",
    "got it",
    "ok",
    "okay",
    "reject",
    "decline",
    "deny",
    "refuse",
    "disagree",
    "only necessary",
    "only essential",
    "necessary cookies only",
    "use necessary",
    "essential only",
    "manage cookies",
    "manage preferences",
    "manage options",
    "cookie settings",
    "cookie preferences",
    "customise",
    "customize",
    "save settings",
    "save preferences",
    "save & accept",
    "save and close",
    "confirm my choices",
    "consent",
    "dismiss",
    "continue",
    "akzeptieren",
    "alle akzeptieren",
    "alle cookies",
    "annehmen",
    "zustimmen",
    "ich stimme",
    "einverstanden",
    "verstanden",
    "ablehnen",
    "alle ablehnen",
    "nur notwendige",
    "nur essenzielle",
    "auswahl",
    "einstellungen",
    "speichern",
    "accepter",
    "tout accepter",
    "j'accepte",
    "j’accepte",
    "tout refuser",
    "refuser",
    "continuer sans",
    "d'accord",
    "personnaliser",
    "paramétrer",
    "aceptar",
    "acepto",
    "entendido",
    "rechazar",
    "denegar",
    "configurar",
    "permitir",
    "accetta",
    "accetto",
    "acconsento",
    "rifiuta",
    "nega",
    "ho capito",
    "personalizza",
    "aceitar",
    "aceito",
    "concordo",
    "rejeitar",
    "recusar",
    "entendi",
    "accepteer",
    "alles accepteren",
    "accepteren",
    "akkoord",
    "weigeren",
    "afwijzen",
    "toestaan",
    "instellingen",
    "akceptuj",
    "zaakceptuj",
    "zgadzam",
    "rozumiem",
    "odrzuć",
    "przejdź do serwisu",
    "ustawienia",
    "přijmout",
    "souhlasím",
    "rozumím",
    "odmítnout",
    "povolit",
    "nastavení",
    "prijať",
    "súhlasím",
    "odmietnuť",
    "acceptera",
    "godkänn",
    "jag förstår",
    "avvisa",
    "neka",
    "accepter alle",
    "godkend",
    "tillad",
    "afvis",
    "nødvendige",
    "godta",
    "aksepter",
    "jeg forstår",
    "avvis",
    "hyväksy",
    "hylkää",
    "salli",
    "vain välttämättömät",
    "elfogad",
    "elutasít",
    "összes elfogadása",
    "acceptă",
    "accept toate",
    "sunt de acord",
    "refuz",
    "приемам",
    "отхвърлям",
    "принять",
    "принимаю",
    "согласен",
    "понятно",
    "отклонить",
    "прийняти",
    "погоджуюсь",
    "відхилити",
    "αποδοχή",
    "αποδέχομαι",
    "συμφωνώ",
    "απόρριψη",
    "kabul",
    "tümünü kabul",
    "reddet",
    "tamam",
    "anladım",
    "prihvati",
    "prihvaćam",
    "odbij",
    "sprejm",
    "zavrni",
    "sutinku",
    "priimti",
    "atmesti",
    "piekrītu",
    "pieņemt",
    "nõustu",
    "同意",
    "接受",
    "全部接受",
    "拒绝",
    "拒絕",
    "知道了",
    "すべて受け入れる",
    "同意する",
    "承認",
    "許可",
    "拒否",
    "동의",
    "수락",
    "모두 허용",
    "거부",
    "قبول",
    "موافق",
    "رفض",
    "אישור",
    "אני מסכים",
    "קבל",
    "ยอมรับ",
    "ปฏิเสธ",
    "đồng ý",
    "chấp nhận",
    "từ chối",
    "setuju",
    "terima",
    "tolak",
    "स्वीकार",
    "सहमत",
)
