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
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
header p { margin: 0; color: var(--soft); }
main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); padding-top: 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
.wide { grid-column: 1 / -1; }
.state { font-weight: 600; }
.up, .pass, .connected { color: var(--good); }
.warn { color: var(--warn); }
.down, .fail, .disconnected { color: var(--bad); }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figure { font-size: 2.25rem; line-height: 1.2; font-variant-numeric: tabular-nums; margin: 0; }
.figure small { font-size: 1rem; color: var(--soft); }
svg { display: block; width: 100%; height: 4rem; margin-top: .5rem; }
polyline { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
label { display: block; font-weight: 600; margin: .5rem 0 .25rem; }
input, textarea { width: 100%; padding: .5rem; border: 1px solid var(--field); border-radius: .25rem; background: var(--page); color: var(--text); font: .9rem/1.5 ui-monospace, monospace; }
textarea { min-height: 8.5rem; resize: vertical; }
.fields { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); }
button { margin-top: .75rem; padding: .5rem 1.25rem; border: 0; border-radius: .25rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
pre { margin: .5rem 0 0; padding: .75rem; border: 1px solid var(--line); border-radius: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
pre:empty { display: none; }
.soft { color: var(--soft); margin: .25rem 0; }
`;
