"""How a report looks: on a screen, narrow or wide, and on paper."""

__all__ = ["MORE_STYLE", "STYLE"]

STYLE = """
:root { --ink: #1d262e; --soft: #55606b; --line: #d9dee3; --paper: #fff; --wash: #f4f6f8; --accent: #12436d; }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0 auto; padding: 0 1.5rem 3rem; max-width: 72rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 2rem 0 .2rem; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 .6rem; padding-top: .6rem; border-top: 3px solid var(--accent); }
h3 { font-size: 1.05rem; margin: 1rem 0 .4rem; }
p { margin: .5rem 0; max-width: 48rem; }
li { margin: .3rem 0; max-width: 58rem; }
a { color: var(--accent); }
a:focus-visible, [tabindex]:focus-visible { outline: 3px solid #f2a65a; outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: #fff; padding: .5rem 1rem; z-index: 9; }
.subtitle { color: var(--soft); font-size: 1.05rem; }
.notice { border: 2px solid #801650; color: #801650; padding: .5rem .9rem; font-weight: 600; max-width: none; }
.remark { color: var(--soft); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; padding: .5rem 0; margin: .8rem 0;
  border-bottom: 1px solid var(--line); }
nav li { margin: 0; }
.verdict { font-size: 1.35rem; font-weight: 650; line-height: 1.35; padding: .9rem 1.1rem; max-width: none;
  background: var(--wash); border-left: .5rem solid var(--soft); }
.verdict.good { border-color: #1d7a4c; background: #eef7f1; }
.verdict.bad { border-color: #b3261e; background: #fcf0ee; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
.cards div { border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem; display: flex;
  flex-direction: column-reverse; justify-content: flex-end; }
.cards dt { color: var(--soft); font-size: .9rem; line-height: 1.35; }
.cards dd { margin: 0; font-size: 1.7rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.sides, .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 2.5rem; }
.pair { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; margin: 1rem 0 1.6rem; }
@media (max-width: 60rem) { .pair { grid-template-columns: minmax(0, 1fr); } }
figure { margin: 0; min-width: 0; }
figure p { color: var(--soft); font-size: .92rem; }
figcaption { font-weight: 650; margin: .3rem 0; }
svg { width: 100%; height: auto; display: block; }
.scroll { overflow-x: auto; margin: .6rem 0; min-width: 0; }
table { border-collapse: collapse; font-size: .92rem; }
caption { text-align: left; font-weight: 650; padding: .3rem 0; }
.pair caption { font-weight: 400; color: var(--soft); }
th, td { text-align: left; vertical-align: top; padding: .22rem 1.1rem .22rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 500; }
h1, p, li, tbody th { overflow-wrap: anywhere; }
tbody th { min-width: 8rem; }
thead th { color: var(--soft); vertical-align: bottom; border-bottom: 2px solid var(--line); }
.n { text-align: right; font-variant-numeric: tabular-nums; }
.total th, .total td { font-weight: 650; border-top: 2px solid var(--line); }
.facts th { color: var(--soft); }
.facts td { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
@media print {
  @page { size: A4; margin: 16mm; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  nav, .skip { display: none; }
  h1 { margin-top: 0; }
  h2 { break-after: avoid; margin-top: 1.4rem; }
  h3, caption, figcaption { break-after: avoid; }
  .pair, .cards div, tr, li, .verdict { break-inside: avoid; }
  .scroll { overflow: visible; }
  .verdict { border: 1px solid var(--ink); border-left-width: .5rem; }
}
"""

# For pages of the house. What is published keeps the plain style: its bytes should not follow every change of taste.
MORE_STYLE = """
:root { --cue: #0004; }
.pair th, .pair td { padding-right: .7rem; }
.pair tbody th { min-width: 9rem; }
.caution { border: 1px solid #c8741f; border-left-width: .5rem; padding: .3rem 1rem; margin: 1rem 0; }
.scroll { background: linear-gradient(to right, var(--paper) 40%, transparent) left / 2rem 100% no-repeat local,
  linear-gradient(to left, var(--paper) 40%, transparent) right / 2rem 100% no-repeat local,
  linear-gradient(to right, var(--cue), transparent) left / .7rem 100% no-repeat,
  linear-gradient(to left, var(--cue), transparent) right / .7rem 100% no-repeat; }
@media (max-width: 40rem) {
  body { padding: 0 .9rem 2rem; }
  h1 { font-size: 1.5rem; }
  figure { overflow-x: auto; background: linear-gradient(to left, var(--paper) 40%, transparent) right / 2rem 100%
    no-repeat local, linear-gradient(to left, var(--cue), transparent) right / .7rem 100% no-repeat; }
  figure svg { min-width: 36rem; }
  figcaption, figure p { position: sticky; left: 0; max-width: calc(100vw - 1.8rem); }
}
.scroll caption { position: sticky; left: 0; }
.apart th, .apart td { border-top: 2px solid var(--soft); }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e3e8ec; --soft: #a5b0ba; --line: #3a444d; --paper: #14191d; --wash: #1e252b; --accent: #8ab8dd;
    --cue: #fff6; }
  .notice { border-color: #e08ab6; color: #e08ab6; }
  .verdict.good { background: #16281f; }
  .verdict.bad { background: #331a18; }
  .skip:focus { background: var(--wash); }
  svg { background: #fff; border-radius: .3rem; }
}
@media print {
  html { font-size: 9.5pt; }
  body { font-size: 1rem; }
  .cards { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
  .pair { grid-template-columns: minmax(0, 5fr) minmax(0, 3fr); gap: 0 1rem; break-inside: auto; margin: .6rem 0 1rem; }
  figure { break-inside: avoid; }
  figure svg { max-height: 7cm; }
  .caution { break-inside: avoid; }
  .scroll { background: none; }
  .scroll table { width: 100%; font-size: .86rem; }
  .pair .scroll table { font-size: .8rem; }
  .scroll th, .scroll td { padding-right: .5rem; overflow-wrap: anywhere; }
  .scroll td.n { overflow-wrap: normal; white-space: nowrap; }
  .scroll thead th { overflow-wrap: normal; }
  thead, caption { break-after: avoid; }
  tbody tr:first-child { break-before: avoid; }
  footer { margin-top: 1rem; }
  .scroll caption { position: static; }
  tbody th { min-width: 7rem; }
  .pair tbody th { min-width: 0; }
}
"""
