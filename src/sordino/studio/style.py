"""How the studio looks: light and dark, wide and narrow."""

__all__ = ["STYLE"]

STYLE = """
:root { --s-ink: #1d262e; --s-soft: #55606b; --s-line: #d9dee3; --s-paper: #ffffff; --s-wash: #f4f6f8;
  --s-accent: #12436d; --s-good: #1d7a4c; --s-bad: #b3261e; --s-open: #8a5a00; }
.body--dark { --s-ink: #e8edf2; --s-soft: #a9b4be; --s-line: #3a444d; --s-paper: #14191e; --s-wash: #1e252b;
  --s-accent: #8fc1ee; --s-good: #6fd3a0; --s-bad: #ff9d94; --s-open: #f0c069; }
.body--dark { --q-primary: #8fc1ee !important; color-scheme: dark; } :root:has(.body--dark) { color-scheme: dark; }
body { background: var(--s-paper); color: var(--s-ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
.nicegui-content { max-width: 76rem; margin: 0 auto; padding: 1rem 1.25rem 7rem; width: 100%; }
.q-header { background: var(--s-wash); color: var(--s-ink); border-bottom: 1px solid var(--s-line); }
@layer theme {  /* of what is important, the first layer wins */
  .body--dark .bg-primary { background: #2f6da8 !important; }
  .body--dark .text-primary { color: #8fc1ee !important; }
  .body--dark .text-negative { color: #ff9d94 !important; }
}
.q-tab-panels, .w-full { width: 100%; background: transparent; } .w-64 { width: 16rem; max-width: 100%; }
.grow { flex: 1 1 14rem; min-width: 0; } .q-panel, .q-tab-panel { overflow: visible; }
.panel .q-select, .panel .q-input, .room > .q-select { width: 100%; max-width: 34rem; }
.q-table__bottom .q-select { width: auto !important; }
.panel > .nicegui-html:first-child h2, .panel > .row:first-child h2 { margin-top: 0; }
.brand { align-self: center; font-weight: 700; font-size: 1.1rem; letter-spacing: .01em; }
.q-tab-panel { padding: .5rem 0; }
.room { width: 100%; gap: .9rem; align-items: stretch; }
h1, h2, h3 { line-height: 1.25; font-weight: 650; }
h1 { font-size: 1.5rem; margin: .3rem 0 0; } h2 { font-size: 1.15rem; margin: 1.1rem 0 .1rem; }
h3 { font-size: 1.02rem; margin: .8rem 0 .1rem; letter-spacing: normal; }
.lead { color: var(--s-soft); max-width: 52rem; overflow-wrap: anywhere; }
.choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); gap: 1rem;
  width: 100%; }
.beside { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; width: 100%;
  align-items: start; }
.halves { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5rem; width: 100%; }
@media (max-width: 56rem) { .beside, .halves { grid-template-columns: minmax(0, 1fr); } }
.panel { background: var(--s-wash); border: 1px solid var(--s-line); border-radius: .5rem; padding: .9rem 1rem;
  gap: .6rem; align-items: stretch; min-width: 0; width: 100%; }
.verdict { font-size: 1.2rem; font-weight: 650; padding: .8rem 1rem; background: var(--s-wash);
  border-left: .45rem solid var(--s-open); }
.verdict.good { border-color: var(--s-good); } .verdict.bad { border-color: var(--s-bad); }
.notice { white-space: pre-wrap; padding: .6rem .9rem; border: 2px solid var(--s-bad); border-radius: .4rem;
  overflow-wrap: anywhere; }
.problem { color: var(--s-bad); font-size: .9rem; } .problem::before { content: "\\25B2 "; }
.strong { font-weight: 650; }
.notice.open { border-color: var(--s-open); } .notice.good { border-color: var(--s-good); }
.command { background: var(--s-wash); border: 1px solid var(--s-line); border-radius: .4rem; width: 100%;
  flex-wrap: nowrap; align-items: center; justify-content: space-between; padding: .1rem .2rem .1rem .8rem;
  gap: .5rem; }
.code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9rem; overflow-x: auto; white-space: pre;
  min-width: 0; padding: .3rem 0; }
.lined { display: grid; grid-template-columns: auto minmax(0, 1fr); width: 100%; }
.toml textarea, .numbers { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .88rem;
  line-height: 1.4rem; }
.lined .toml textarea { padding-top: .6rem !important; white-space: pre; overflow-x: auto; }
.numbers { padding-top: .6rem; text-align: right; color: var(--s-soft); user-select: none; }
.numbers div { padding: 0 .5rem 0 .3rem; height: 1.4rem; }
.numbers .wrong { background: var(--s-bad); color: var(--s-paper); font-weight: 700; }
.drawn { width: 100%; min-width: 0; }
.drawn table { border-collapse: collapse; font-size: .92rem; min-width: min(24rem, 100%); }
.drawn .scroll { overflow-x: auto; max-width: 100%; }
.drawn caption { text-align: left; font-weight: 650; padding: .3rem 0; }
.drawn th, .drawn td { text-align: left; vertical-align: top; padding: .22rem 1rem .22rem 0;
  border-bottom: 1px solid var(--s-line); font-weight: 400; }
.drawn thead th { color: var(--s-soft); }
.drawn .n { text-align: right; font-variant-numeric: tabular-nums; }
.drawn p { margin: .3rem 0; max-width: 56rem; } .drawn ul, .drawn ol { margin: .2rem 0; padding-left: 1.3rem; }
.drawn ul { list-style: disc; } .drawn ol { list-style: decimal; }
.drawn figure { margin: 0; max-width: 44rem; } .drawn svg { width: 100%; height: auto; }
.body--dark .drawn svg { background: #fff; border-radius: .4rem; padding: .5rem; }
.drawn .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem;
  margin: .4rem 0; }
.drawn .cards div { border: 1px solid var(--s-line); border-radius: .4rem; padding: .7rem .9rem; display: flex;
  flex-direction: column-reverse; justify-content: flex-end; }
.drawn .cards dt { color: var(--s-soft); font-size: .88rem; line-height: 1.3; font-weight: 400; }
.drawn .cards dd { margin: 0; font-size: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.drawn .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 2rem; }
.drawn summary { cursor: pointer; color: var(--s-accent); }
th button { font: inherit; color: inherit; background: none; border: 0; padding: .2rem 0; cursor: pointer;
  text-align: inherit; }
.slider { width: 100%; accent-color: var(--s-accent); height: 1.6rem; }
.sorted, .q-table__container { background: transparent; color: inherit; width: 100%; }
.q-table__title { font-size: 1rem; font-weight: 650; white-space: normal; }
.q-table td, .q-table th { color: inherit; font-size: .9rem; }
h1:focus, h2:focus { outline: none !important; } #adversary { scroll-margin-top: 6rem; }
.nicegui-expansion, .q-expansion-item__content > * { min-width: 0; max-width: 100%; }
.through { display: contents; } .nicegui-row.items-center { align-items: center; }
.onward { position: sticky; bottom: 0; z-index: 40; background: var(--s-paper); border-top: 1px solid var(--s-line);
  padding: .6rem 0; margin-top: .4rem; align-items: center; gap: .5rem 1rem; }
.q-tab-panels, .q-panel { overflow: visible !important; }
a.taken { align-self: flex-start; background: #12436d; color: #fff; padding: .45rem .9rem; border-radius: .2rem;
  text-decoration: none; } .body--dark a.taken { background: #2f6da8; }
.bar { position: fixed; left: 0; right: 0; bottom: 0; z-index: 50; background: var(--s-wash);
  border-top: 1px solid var(--s-line); padding: .6rem 1.25rem; align-items: center; gap: 1rem; }
.meter { display: grid; grid-template-columns: minmax(6rem, 14rem) minmax(0, 1fr) 9rem; gap: .2rem .8rem; width: 100%;
  align-items: center; }
.meter .name { overflow-wrap: anywhere; }
.meter .track { background: var(--s-line); height: .8rem; border-radius: .2rem; position: relative; }
.meter .fill { background: var(--s-accent); height: .8rem; border-radius: .2rem; }
.meter .fill.over { background: var(--s-bad); }
.meter .limit { position: absolute; top: -.2rem; bottom: -.2rem; width: 2px; background: var(--s-ink); }
.meter .figure { text-align: right; font-variant-numeric: tabular-nums; font-size: .9rem; }
a { color: var(--s-accent); }
:focus-visible { outline: 3px solid #f2a65a !important; outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; z-index: 99; }
.q-uploader { width: 100%; max-height: none; background: transparent; color: inherit; box-shadow: none;
  border: 2px dashed var(--s-line); }
.dragging .anywhere { border-color: var(--s-accent); background: var(--s-paper); }
.q-uploader__subtitle, .q-uploader__list:empty { display: none; }
.q-uploader__header { background: transparent; color: var(--s-ink); }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
@media (max-width: 40rem) {
  .nicegui-content { padding: .6rem .7rem 7rem; }
  .brand { font-size: 1rem; }
  .q-header { padding: .5rem .7rem 0; gap: 0; }
  .q-header .q-tabs { order: 3; width: 100%; }
  .meter { grid-template-columns: fit-content(9rem) minmax(3rem, 1fr) fit-content(6rem); font-size: .92rem; }
  .drawn table { font-size: .87rem; } .drawn th, .drawn td { padding-right: .5rem; }
  .nicegui-expansion .q-expansion-item__content { padding: .4rem 0 !important; }
  .drawn .scroll td:last-child:not(.n) { min-width: 13rem; padding-right: 0; }
  .sorted td.text-left:last-child { min-width: 13rem; }
}
"""
