"""Documentation generators and what they emit, taken from their own templates; no site is named.

A generator is known by the start of its ``<meta name=generator>`` or by ids and classes that only it writes. Its
content element beats every heuristic; its ``chrome`` names what it puts inside that element without being content.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Generator:
    """What a generator emits."""

    name: str
    meta: tuple[str, ...] = ()
    """Beginnings of its ``<meta name=generator>``, lower case."""
    marks: tuple[str, ...] = ()
    """Each a set of ``#id`` and ``.class`` tokens joined by blanks; one set present on the page names the generator."""
    content: tuple[str, ...] = ()
    """Selectors (``filters.selectors``) of the content element, best first."""
    chrome: str = ""
    """Selectors of what stands inside it and is no content."""
    article: bool = False
    """Whether its pages are articles, with the furniture of articles round the text."""


GENERATORS: Final = (
    Generator(
        "docusaurus",
        ("docusaurus",),
        (".theme-doc-markdown", "#__docusaurus .markdown"),
        (".theme-doc-markdown", "article .markdown", "main article", "main"),
        ".theme-doc-toc-mobile, .theme-doc-version-badge, .theme-doc-breadcrumbs, .pagination-nav, "
        ".theme-doc-footer, .theme-edit-this-page, .hash-link",
    ),
    Generator(
        "mkdocs-material",
        ("mkdocs",),
        (".md-content__inner", ".md-content .md-typeset"),
        ("article.md-content__inner", ".md-content__inner", ".md-content"),
        ".md-content__button, .md-source-file, .md-feedback, .md-tags, .md-clipboard, #__comments, .md-nav, .md-footer",
    ),
    Generator(
        "sphinx",
        ("sphinx",),
        (
            ".sphinxsidebar",
            ".wy-nav-content",
            ".rst-content",
            ".bd-article",
            "#furo-main-content",
            ".documentwrapper .bodywrapper",
            ".yue .sy-content",
            ".content-container .sd-container-fluid",
            "#docs-content #breadcrumbs",
        ),
        (
            "article.bd-article",
            "#furo-main-content",
            "article.yue",
            "div.body[role=main]",
            "[role=main]",
            "#docs-content",
            "div.bodywrapper div.body",
            "div.body",
            "div.document div.content",
            "main",
        ),
        ".headerlink-wrapper, .prev-next-area, .prev-next-footer, .bd-header-article, .header-article, "
        ".article-header-buttons, .rst-footer-buttons, .related, .wy-breadcrumbs, .sidebar-toggle, .toctree-l1-expander, "
        ".related-pages, .content-icon-container, .bd-toc, .page-toc, #print-main-content, .back-to-top, .tocsection, "
        ".onlyprint, .edit-this-page, .viewcode-block > .viewcode-back, #searchbox",
    ),
    Generator(
        "mdbook",
        (),
        ("#page-wrapper #menu-bar", "#mdbook-content", "#sidebar .sidebar-scrollbox"),
        ("#content > main", "#mdbook-content > main", "#content main", "main"),
        ".nav-chapters, .nav-wrapper, .mobile-nav-chapters, .buttons, .sidetoc, .pagetoc",
    ),
    Generator(
        "rustdoc",
        ("rustdoc",),
        ("#main-content #rustdoc-vars", ".rustdoc #main-content"),
        ("#main-content", "main"),
        ".out-of-band, rustdoc-toolbar, rustdoc-search, .sidebar, #copy-path, .src-line-numbers, .main-heading .sub",
    ),
    Generator(
        "doxygen",
        ("doxygen",),
        ("#doc-content .contents", "#titlearea #projectname", ".contents .headertitle"),
        ("#doc-content", "div.contents"),
        "#MSearchSelectWindow, #MSearchResultsWindow, .header .summary, .footer, #nav-path, .navpath, .ttc, "
        ".dynheader .closed, div.toc, #page-nav",
    ),
    Generator(
        "javadoc",
        ("javadoc",),
        ("#class-description", ".contentContainer .header", "#navbar-top .nav-list", ".class-declaration-page"),
        ("main[role=main]", "main", "div.contentContainer"),
        ".top-nav, .sub-nav, .bottom-nav, .sub-title-nav, nav.toc, .breadcrumb, .bar, .fixedNav, .skip-nav, "
        ".navPadding, .page-search",
    ),
    Generator("javadoc", ("javadoc",), ("#navbar.top.firstrow",), ("body",), ".topNav, .bottomNav, .subNav, .skipNav"),
    Generator(
        "mediawiki",
        ("mediawiki",),
        ("#mw-content-text", "#mw-head", ".mw-parser-output"),
        ("#mw-content-text .mw-parser-output", "#mw-content-text", "#bodyContent", "#content"),
        ".mw-editsection, #toc, .toc, .navbox, .vertical-navbox, .catlinks, #catlinks, .printfooter, .mw-jump-link, "
        ".noprint, .metadata.mbox-small, .sistersitebox, .ambox, .mw-empty-elt, #siteSub, #contentSub, .mw-cite-backlink, "
        ".navbox-styles, .mw-indicators, .authority-control",
    ),
    Generator(
        "gtk-doc",
        ("gtk-doc",),
        (".refentry .refnamediv .shortcuts",),
        ("body",),
        "table.navigation, .footer, .navigation",
    ),
    Generator(
        "gi-docgen",
        ("gi-docgen",),
        ("#main .gi-docgen", ".docblock .method-details"),
        ("#main .content", "section.content", "#main"),
        ".sidebar, .srclink, .out-of-band",
    ),
    Generator(
        "docbook",
        ("docbook",),
        (".navheader .navfooter", "#docContent .navheader", ".titlepage .toc"),
        ("div.refentry", "div.book", "div.chapter", "div.sect1", "body"),
        ".navheader, .navfooter",
    ),
    Generator(
        "asciidoctor",
        ("asciidoctor", "asciidoc"),
        (".sectionbody .sect1",),
        ("body",),
        "#toc, #footer, .toc2, #footnotes-toc, #header > .details",
    ),
    Generator(
        "antora",
        ("antora",),
        (".nav-container article.doc", "article.doc .toolbar", ".doc .nav-panel-menu"),
        ("article.doc", "main"),
        "nav.pagination, .toc, .edit-this-page, .breadcrumbs, .source-toolbox",
    ),
    Generator(
        "texinfo",
        ("makeinfo", "texi2html", "texinfo"),
        (".nav-panel .copiable-link",),
        ("body",),
        "div.header, .nav-panel, .copiable-anchor, .copiable-link",
    ),
    Generator(
        "vitepress",
        ("vitepress",),
        (".VPDoc .vp-doc", "#VPContent"),
        (".vp-doc > div", ".vp-doc", "main"),
        ".header-anchor, .vp-code-group > .tabs > .blocks, .VPDocFooter, .VPBadge.edit",
    ),
    Generator(
        "vuepress",
        ("vuepress",),
        (".theme-default-content", ".theme-container .page-edit"),
        (".theme-default-content", "main.page", "main"),
        ".page-edit, .page-nav, .page-meta, .table-of-contents",
    ),
    Generator(
        "starlight",
        ("starlight",),
        (".sl-markdown-content",),
        (".sl-markdown-content", "main"),
        ".pagination-links, .sl-anchor-link, starlight-toc, .meta",
    ),
    Generator(
        "nextra",
        (),
        (".nextra-content", ".nextra-body", ".nextra-toc"),
        (".nextra-content main", ".nextra-body main", ".nextra-content", "article", "main"),
        ".nextra-breadcrumb, .nextra-toc, nav",
    ),
    Generator(
        "gitbook",
        ("gitbook",),
        (".book-body .page-inner", ".book-summary"),
        (".page-inner section.normal", ".page-inner .markdown-section", ".page-inner", "main"),
        ".navigation, .search-results",
    ),
    Generator(
        "mintlify",
        ("mintlify",),
        ("#content .mdx-content", ".mdx-content.prose"),
        ("#content-area", ".mdx-content", "#content"),
        "#pagination, .feedback-toolbar, #table-of-contents, .eyebrow, #page-context-menu",
    ),
    Generator(
        "readme",
        ("readme",),
        (".rm-Article", "#content-container .rm-Guides"),
        ("#content .markdown-body", ".rm-Article", "#content-container"),
        ".rm-TableOfContents, .PageThumbs, .UpdatedAt, .rm-Pagination, .PaginationControlsContainer",
    ),
    Generator(
        "docsy",
        (),
        (".td-content", ".td-main"),
        (".td-content", "main"),
        ".td-page-meta, .feedback--answer, .td-page-meta__edit, .td-breadcrumbs, .feedback, .td-toc, "
        ".section-index-feedback, #pre-footer, .reading-time, .td-page-meta__lastmod",
    ),
    Generator(
        "just-the-docs",
        (),
        ("#main-content .site-nav", ".side-bar .main-content-wrap"),
        ("#main-content main", "#main-content", ".main-content main", ".main-content"),
        ".breadcrumb-nav, .anchor-heading",
    ),
    Generator(
        "help-centre",
        (),
        (".article-body .article-votes", "#article-container .article-body", ".hc-search .article-body"),
        (".article-body", ".article__body"),
        ".article-votes, .article-return-to-top, .article-relatives",
    ),
    Generator(
        "intercom-help",
        (),
        (".intercom-interblocks-paragraph", ".article_body .intercom-force-break"),
        ("article", ".article_body", "main"),
        ".related_articles, .intercom-reaction-picker",
    ),
    Generator(
        "helpscout",
        (),
        ("#fullArticle #docsSearch", "#fullArticle"),
        ("#fullArticle",),
        ".articleRatings, .articleFoot, .related, .printArticle",
    ),
    Generator(
        "confluence",
        (),
        ("#main-content.wiki-content", "#confluence-ui", ".wiki-content #main-content", "#com-atlassian-confluence"),
        ("#main-content", ".wiki-content"),
        ".page-metadata, .plugin_pagetree",
    ),
    Generator("moinmoin", (), ("#page #interwiki #content", "#pagelocation #interwiki"), ("#content", "#page"), ""),
    Generator("dokuwiki", ("dokuwiki",), (), ("#dokuwiki__content .page", ".dokuwiki .page"), "#dw__toc, .secedit"),
    Generator(
        "trac", (), ("#wikipage.searchable", "#ctxtnav #banner #mainnav"), ("#wikipage", "#content"), "#altlinks"
    ),
    Generator(
        "httpd-manual",
        (),
        ("#manual-page #page-content", "#page-header #preamble #quickview"),
        ("body",),
        "#page-header, #path, .up, .toplang, .bottomlang, .lang-toggle, #quickview, .top, #footer, #comments_section, "
        "#comments_thread, .apache",
    ),
    Generator(
        "libreoffice-help",
        (),
        ("#DisplayArea #TopLeftHeader", "#DisplayArea .contents-treeview"),
        ("#DisplayArea",),
        ".debug, #DonationFrame",
    ),
    Generator("pod", (), ("#_podtop_",), ("body",), ".indexgroup, #index, p.backlinktop, .backlinkbottom"),
    Generator(
        "nodejs-doc",
        (),
        ("#apicontent #column1 #column2",),
        ("#apicontent",),
        ".picker-header, .srclink",
    ),
    Generator(
        "writerside",
        ("writerside",),
        (),
        ("article.article", "main article", "main"),
        ".navigation-links, .last-modified",
    ),
    Generator(
        "discourse", ("discourse",), (), ("#topic", "#main-outlet", "main"), ".crawler-nav, .topic-map, .d-header"
    ),
    Generator(
        "github",
        (),
        (".js-issue-row .repository-content", ".logged-out #repo-content-pjax-container"),
        (
            "article.markdown-body",
            "[data-testid=issue-viewer-container]",
            "#discussion_bucket",
            "#repo-content-pjax-container",
            "main",
        ),
        ".anchor, .file-navigation, .js-timeline-progressive-focus-container, .zeroclipboard-container",
    ),
    Generator(
        "wordpress",
        ("wordpress",),
        (".entry-content .wp-block-post-content", ".wp-site-blocks"),
        (),
        "",
        article=True,
    ),
)
