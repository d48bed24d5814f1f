import { createHash } from 'node:crypto';

/** The page's icon, a map pin. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#c2290a" d="M8 0a6 6 0 0 0-6 6c0 4 6 10 6 10s6-6 6-10a6 6 0 0 0-6-6zm0 8a2 2 0 1 1 0-4 2 2 0 0 1 0 4z"/></svg>',
)}`;

/** The style of the page. Without web fonts or images: nothing is fetched. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1b2733; --muted: #51606e; --page: #f6f8fa; --card: #fff; --line: #d5dde4;
  --accent: #0b5cad; --on-accent: #fff; --sea: #dcebf5; --land: #fbfaf6; --border: #a9bac6; --mark: #c2290a; --warn: #8a3b00 }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --muted: #9eacb9; --page: #0f151b; --card: #18212a; --line: #33404c;
  --accent: #74b7f7; --on-accent: #08131d; --sea: #0c2233; --land: #2b3a46; --border: #51677a; --mark: #ff8a66; --warn: #ffb27a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0 1rem }
header { padding-top: 1rem; font-weight: 600 }
h1 { font-size: clamp(1.5rem, 5vw, 2.25rem); line-height: 1.2; margin: .5rem 0 }
h1, .lead { overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 0 0 .75rem }
p { margin: .5rem 0 } a { color: var(--accent) }
.lead { font-size: 1.1rem; color: var(--muted); margin: 0 0 1rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; margin: 1rem 0; overflow: hidden }
.map { display: block; width: 100%; height: auto; aspect-ratio: 1.6; background: var(--sea); border: 1px solid var(--line); border-radius: .75rem }
.land { fill: var(--land); stroke: var(--border); stroke-width: 2; stroke-linejoin: round }
.map text { fill: var(--muted); font-size: 18px; text-anchor: middle; paint-order: stroke; stroke: var(--land); stroke-width: 4px; stroke-opacity: .7 }
.halo { fill: var(--mark); fill-opacity: .25 } .dot { fill: var(--mark); stroke: var(--card); stroke-width: 3 }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1rem; align-items: start }
dl { display: grid; grid-template-columns: minmax(7rem, 2fr) 3fr; gap: .35rem 1rem; margin: 0 } dt { color: var(--muted) } dd { margin: 0; overflow-wrap: anywhere }
.search { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; margin: .75rem 0 1rem }
.search label { flex-basis: 100%; margin: 0 } .search input { flex: 1 1 12rem; width: auto; background: var(--card) } .search button { margin: 0 }
.result { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; align-items: start; margin-bottom: 1rem }
.result > .card { margin: 0 } .result .map { margin-bottom: 1rem } .result h2:not(:first-child) { margin-top: 1.25rem }
label { display: block; font-weight: 600; margin-bottom: .25rem }
input, textarea, button { font: inherit; border-radius: .4rem; padding: .5rem .75rem }
input, textarea { width: 100%; color: inherit; background: var(--page); border: 1px solid var(--muted) }
textarea { min-height: 7rem; font-family: ui-monospace, monospace }
button { margin-top: .5rem; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
code { font-family: ui-monospace, monospace; font-size: .95em }
.command { display: block; padding: .6rem .75rem; background: var(--page); border: 1px solid var(--line); border-radius: .4rem;
  overflow-wrap: anywhere; user-select: all }
.alert { border-left: .3rem solid var(--warn); color: var(--warn); font-weight: 600 }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top } th { color: var(--muted); font-weight: 600 }
footer { color: var(--muted); font-size: .9rem; padding-bottom: 2rem }
@media print { form, .card:has(form) { display: none } .card { break-inside: avoid } }
`;

/** Allows this style, the icon in the page and forms to this site; no script, no frame, nothing from anywhere else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
