"""How a report looks: one column, readable in light and dark, on paper and on a telephone. Nothing is loaded."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --paper: #faf9f6; --card: #fff; --ink: #1f2328; --soft: #5b6470; --line: #dedbd3;
  --accent: #17637f; --good: #1d7a44; --warn: #8a5700; --warn-paper: #fff4d9; --bad: #a3262e; --bad-paper: #fdeaea;
  --added: #d9f2df; --added-ink: #0f4d29; --removed: #fbdfdd; --removed-ink: #7c1a1a; --quiet: #b9bec5; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --card: #1d2126; --ink: #e4e6e9; --soft: #9aa4af;
  --line: #343a42; --accent: #6cc3e0; --good: #67c98c; --warn: #e6b450; --warn-paper: #332a14; --bad: #f28b88;
  --bad-paper: #3a1f20; --added: #173d26; --added-ink: #b5edc8; --removed: #4a2223; --removed-ink: #ffc9c5;
  --quiet: #59616b; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 3.5rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main, header, nav > div, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .1rem 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p { margin: .4rem 0; }
a { color: var(--accent); text-underline-offset: .15em; overflow-wrap: anywhere; }
code, .locator { font: .85em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.soft, small { color: var(--soft); font-size: .875rem; }
.lead { font-size: 1.12rem; max-width: 52rem; }
.pill { display: inline-block; border-radius: 1rem; padding: 0 .7rem; font-size: .8rem; font-weight: 600;
  border: 1px solid currentColor; vertical-align: .12em; }
.pill.good { color: var(--good); } .pill.warn { color: var(--warn); } .pill.bad { color: var(--bad); }
nav { position: sticky; top: 0; z-index: 1; background: var(--paper); border-bottom: 1px solid var(--line);
  margin-top: 1.2rem; }
nav > div { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding-top: .55rem; padding-bottom: .55rem; }
nav a { text-decoration: none; font-size: .9rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.4rem, 1fr)); gap: .6rem; margin: 1.4rem 0; }
.tiles a { display: block; background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: .55rem .8rem; text-decoration: none; color: inherit; border-top: 3px solid var(--quiet); }
.tiles a:hover { border-color: var(--accent); }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tiles .none b { color: var(--quiet); font-weight: 400; }
.tiles .new, .tiles .changed, .tiles .moved { border-top-color: var(--accent); }
.tiles .gone, .tiles .kept, .tiles .waiting { border-top-color: var(--warn); }
.tiles .failed { border-top-color: var(--bad); }
.tiles .none { border-top-color: var(--quiet); }
.notice { border-left: 4px solid var(--warn); background: var(--warn-paper); padding: .6rem .9rem; margin: .8rem 0;
  border-radius: 0 .4rem .4rem 0; overflow-wrap: anywhere; }
.notice.bad { border-color: var(--bad); background: var(--bad-paper); }
.notice.calm { border-color: var(--quiet); background: var(--card); }
ul.pages { list-style: none; padding: 0; margin: .6rem 0; }
ul.pages > li { padding: .4rem 0; border-top: 1px solid var(--line); }
ul.pages small { display: block; overflow-wrap: anywhere; }
details { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
summary { cursor: pointer; padding: .55rem .9rem; overflow-wrap: anywhere; }
summary b.plus { color: var(--good); } summary b.minus { color: var(--bad); }
details > div { padding: 0 .9rem .8rem; }
.diff { font: .84rem/1.6 ui-monospace, monospace; border-top: 1px solid var(--line); padding-top: .5rem; }
.diff div { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .5rem; border-left: 3px solid transparent; }
.diff .added { border-color: var(--good); } .diff .removed { border-color: var(--bad); }
.diff .mixed { border-color: var(--warn); }
.diff .skipped { color: var(--soft); font-style: italic; padding: .15rem .5rem; }
ins { background: var(--added); color: var(--added-ink); text-decoration: none; }
del { background: var(--removed); color: var(--removed-ink); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
.bar { display: block; height: .7rem; min-width: 2px; border-radius: .2rem; background: var(--accent); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
.charts figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: .7rem .9rem; }
.charts figcaption { font-size: .9rem; font-weight: 600; }
.charts svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font: 9px system-ui, sans-serif; }
svg .axis { stroke: var(--line); stroke-width: 1; }
svg .main { fill: var(--accent); }
svg .calm { fill: var(--quiet); } svg .bad { fill: var(--bad); } svg .faint { fill: var(--line); }
.key { font-size: .8rem; color: var(--soft); }
.key i { display: inline-block; width: .7em; height: .7em; border-radius: .15em; margin: 0 .3em 0 .7em; }
.key .main { background: var(--accent); } .key .calm { background: var(--quiet); } .key .bad { background: var(--bad); }
.key .faint { background: var(--line); }
.chips { display: flex; flex-wrap: wrap; gap: .4rem; margin: .7rem 0; }
.chips a { border: 1px solid var(--line); background: var(--card); border-radius: 1rem; padding: .1rem .8rem;
  font-size: .9rem; text-decoration: none; }
.outcomes:has(section:target) section:not(:target) { display: none; }
:target > h2, :target > h3 { color: var(--accent); }
footer { padding-top: 2rem; padding-bottom: 3rem; }
@media print { nav, .chips { display: none; } details > div { display: block; } body { background: #fff; } }
"""
