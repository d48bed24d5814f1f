import { pagePolicy } from '@workspace/service-kit/pages';
import type { OtherAddresses } from './other-addresses.ts';

/** The page's icon, a map pin. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#c2290a" d="M8 0a6 6 0 0 0-6 6c0 4 6 10 6 10s6-6 6-10a6 6 0 0 0-6-6zm0 8a2 2 0 1 1 0-4 2 2 0 0 1 0 4z"/></svg>',
)}`;

/** What the page adds to the style of all. */
export const STYLE = `
:root { --sea: light-dark(#dcebf5, #0c2233); --land: light-dark(#fbfaf6, #2b3a46); --border: light-dark(#a9bac6, #51677a); --mark: light-dark(#c2290a, #ff8a66) }
h1 { font-size: clamp(1.5rem, 5vw, 2.25rem); margin: .5rem 0 }
h2 { font-size: 1.15rem; margin: 0 0 .75rem }
.lead { color: var(--muted); margin: 0 0 1rem; overflow-wrap: anywhere }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0; overflow: hidden }
.map { display: block; width: 100%; height: auto; aspect-ratio: 1.6; background: var(--sea); border: 1px solid var(--line); border-radius: .5rem }
.land { fill: var(--land); stroke: var(--border); stroke-width: 2; stroke-linejoin: round }
.map text { fill: var(--muted); font-size: 18px; text-anchor: middle; paint-order: stroke; stroke: var(--land); stroke-width: 4px; stroke-opacity: .7 }
.halo { fill: var(--mark); fill-opacity: .25 } .dot { fill: var(--mark); stroke: var(--card); stroke-width: 3 }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1rem; align-items: start }
dl { display: grid; grid-template-columns: minmax(7rem, 2fr) 3fr; gap: .35rem 1rem; margin: 0 } dt { color: var(--muted) } dd { margin: 0; overflow-wrap: anywhere }
.search { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; margin: 0 0 1rem }
.search label { flex-basis: 100%; margin: 0 } .search input { flex: 1 1 12rem; width: auto } .search button { margin: 0 }
.language { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center } .language label, .language button { margin: 0 }
.result { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; align-items: start; margin-bottom: 1rem }
.result > .card { margin: 0 } .result .map { margin-bottom: 1rem } .result h2:not(:first-child) { margin-top: 1.25rem }
label { display: block; font-weight: 600; margin-bottom: .25rem }
input, textarea { width: 100% } textarea { min-height: 7rem } button { margin-top: .5rem }
.command { display: block; padding: .6rem .75rem; background: var(--page); border: 1px solid var(--line); border-radius: .4rem;
  overflow-wrap: anywhere; user-select: all }
.scroll { overflow-x: auto } th, td { padding: .4rem .75rem .4rem 0 } th { color: var(--muted); font-weight: 600 }
@media print { form, .card:has(form) { display: none } .card { break-inside: avoid } }
`;

/** Of the page: without a script, with forms to this site. */
export const PAGE_POLICY = pagePolicy({ style: STYLE, hasForms: true });

/** Of the caller's page, with the script that asks for other addresses. */
export const policyWith = ({ urls, script }: OtherAddresses): string =>
  pagePolicy({
    style: STYLE,
    hasForms: true,
    script,
    connectsTo: [...new Set(urls.map((url) => new URL(url).origin))],
  });
