/** What the console adds to the style of all pages. */
export const CONSOLE_STYLE = `
:root { --width: 72rem; }
html { scrollbar-gutter: stable; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
#live { min-width: 14rem; margin: 0; color: var(--muted); }
main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
.wide { grid-column: 1 / -1; }
.state { font-weight: 600; }
.up, .pass, .connected, .available { color: var(--good); }
.warn { color: var(--fair); }
.down, .fail, .disconnected, .unavailable, .unreachable { color: var(--bad); }
/* What the page shows of a service that is gone is no longer so. */
.gone main, .gone main .state:not(#status) { color: var(--muted); }
dd { text-align: right; font-variant-numeric: tabular-nums; }
.figure { font-size: 2.25rem; line-height: 1.2; font-variant-numeric: tabular-nums; margin: 0; }
/* Room for the longest text and for every status: what arrives later moves nothing. */
.note { min-height: 3rem; }
.pairs { grid-template-columns: auto 1fr auto 1fr; grid-auto-rows: 1.5rem; min-height: 8.5rem; align-content: start; }
svg { display: block; width: 100%; height: 4rem; margin-top: .5rem; }
path { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
polyline { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
[id=line-rejected] { stroke: var(--fair); stroke-dasharray: 6 3; }
[id=line-failed] { stroke: var(--bad); stroke-dasharray: 2 3; }
.legend span { border-top: 2px solid; padding: 0 .5rem; margin-right: .5rem; color: var(--accent); }
.legend :nth-child(2) { border-top-style: dashed; color: var(--fair); }
.legend :nth-child(3) { border-top-style: dotted; color: var(--bad); }
.gone polyline { stroke: var(--muted); }
.gone .legend > * { color: var(--muted); }
.scroll { overflow: auto; scrollbar-gutter: stable; }
.checks { height: 9rem; }
.problems { height: 17rem; }
th:nth-child(1) { width: 16rem; }
th:nth-child(2) { width: 6rem; }
.checks th:nth-child(3) { width: 11rem; }
.problems th:nth-child(1) { width: 7rem; }
.problems th:nth-child(2) { width: 15rem; }
.problems th:nth-child(4) { width: 16rem; }
table { table-layout: fixed; min-width: 48rem; font-size: .9rem; }
th, td { overflow-wrap: anywhere; padding: .35rem .75rem .35rem 0; }
th { color: var(--muted); font-weight: 600; }
label { display: block; font-weight: 600; margin: .5rem 0 .25rem; }
input, select, textarea { width: 100%; }
textarea { min-height: 8.5rem; }
.fields { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); }
button { margin-top: .75rem; }
pre { margin: .5rem 0 0; padding: .75rem; border: 1px solid var(--line); border-radius: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
pre:empty, ul:empty { display: none; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
td p { margin: 0; }
.soft { color: var(--muted); margin: .25rem 0; }
/* Without room for columns, a row is a list of terms and values. The heads of the columns are for screen readers then. */
@media screen and (max-width: 52rem) {
  .scroll { position: relative; }
  .checks, .problems { height: auto; max-height: 24rem; }
  .pairs { min-height: 0; }
  table { min-width: 0; display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody, tr { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: grid; grid-template-columns: 6rem minmax(0, 1fr); padding: .1rem 0; border: 0; }
  td[data-column]::before { content: attr(data-column); color: var(--muted); font-weight: 400; }
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
