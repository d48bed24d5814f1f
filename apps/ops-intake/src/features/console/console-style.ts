/** The console's style sheet. */
export const CONSOLE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0;
  --accent: #0b57d0; --on-accent: #fff; --good: #14692f; --warn: #855800; --bad: #b3261e; --field: #8b949e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1419; --card: #171d24; --text: #e6e9ed; --soft: #9da7b1; --line: #2e3740;
    --accent: #8ab4f8; --on-accent: #0b1520; --good: #6fd08c; --warn: #f0b849; --bad: #ff8a80; --field: #6b7681;
  }
}
html { scrollbar-gutter: stable; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
header p { margin: 0; color: var(--soft); }
#live { min-width: 14rem; }
main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); padding-top: 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
.wide { grid-column: 1 / -1; }
.state { font-weight: 600; }
.up, .pass, .connected, .available { color: var(--good); }
.warn { color: var(--warn); }
.down, .fail, .disconnected, .unavailable, .unreachable { color: var(--bad); }
/* What the page shows of a service that is gone is no longer so. */
.gone main, .gone main .state:not(#status) { color: var(--soft); }
.gone polyline { stroke: var(--soft); }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figure { font-size: 2.25rem; line-height: 1.2; font-variant-numeric: tabular-nums; margin: 0; }
/* Room for the longest text and for every status: what arrives later moves nothing. */
.note { min-height: 3rem; }
.pairs { grid-template-columns: auto 1fr auto 1fr; grid-auto-rows: 1.5rem; min-height: 8.5rem; align-content: start; }
svg { display: block; width: 100%; height: 4rem; margin-top: .5rem; }
path { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
polyline { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
.scroll { overflow: auto; scrollbar-gutter: stable; }
.checks { height: 9rem; }
.problems { height: 17rem; }
th:nth-child(1) { width: 16rem; }
th:nth-child(2) { width: 6rem; }
.problems th:nth-child(1) { width: 7rem; }
.problems th:nth-child(2) { width: 15rem; }
.problems th:nth-child(4) { width: 16rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; min-width: 48rem; font-size: .9rem; }
th, td { text-align: left; overflow-wrap: anywhere; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
label { display: block; font-weight: 600; margin: .5rem 0 .25rem; }
input, select, textarea { width: 100%; padding: .5rem; border: 1px solid var(--field); border-radius: .25rem; background: var(--page); color: var(--text); font: .9rem/1.5 ui-monospace, monospace; }
textarea { min-height: 8.5rem; resize: vertical; }
.fields { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); }
button { margin-top: .75rem; padding: .5rem 1.25rem; border: 0; border-radius: .25rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
pre { margin: .5rem 0 0; padding: .75rem; border: 1px solid var(--line); border-radius: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
pre:empty, ul:empty { display: none; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
td p { margin: 0; }
.soft { color: var(--soft); margin: .25rem 0; }
/* Without room for columns, a row is a list of terms and values. The heads of the columns are for screen readers then. */
@media screen and (max-width: 52rem) {
  .scroll { position: relative; }
  .checks { height: 13rem; }
  .problems { height: 24rem; }
  table { min-width: 0; display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody, tr { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: grid; grid-template-columns: 6rem minmax(0, 1fr); padding: .1rem 0; border: 0; }
  td[data-column]::before { content: attr(data-column); color: var(--soft); font-weight: 400; }
  td:empty { display: none; }
  td > p { grid-column: 2; }
  td:not([data-column]) { grid-template-columns: 1fr; }
}
@media print {
  table { min-width: 0; }
  .scroll { height: auto; overflow: visible; }
  section { break-inside: avoid; }
  form { display: none; }
}
`;
