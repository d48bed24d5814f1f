/** What the reference adds to the style of all pages. */
export const REFERENCE_STYLE = `
:root { --width: none; scroll-padding-top: 4rem }
html { scrollbar-gutter: stable }
body { overflow-wrap: anywhere }
.contents { position: sticky; top: 0; z-index: 1; padding: .5rem 1.25rem; background: var(--page); border-bottom: 1px solid var(--line) }
#page-contents { width: 20rem; max-width: 85vw; height: 100dvh; max-height: none; margin: 0; padding: 1rem; border: 0; border-right: 1px solid var(--line); overflow: auto; background: var(--page); color: inherit }
#page-contents ul { list-style: none; margin: 0 0 .75rem; padding: 0 } #page-contents p { margin: .5rem 0 .25rem; font-weight: 600 }
#page-contents li a { display: grid; grid-template-columns: 3.25rem 1fr; align-items: baseline; padding: .15rem 0; min-height: 1.6rem; font-size: .85rem; text-decoration: none; color: var(--text) }
#page-contents li a:hover code { text-decoration: underline } #page-contents .method { font-size: .7rem }
main { max-width: 72rem; margin: 0 }
h1 { margin: 0 } h2, h3 { line-height: 1.25 } h2 { margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line) }
h3 { margin: 0 0 .5rem; font-size: 1.1rem }
h4 { margin: 1rem 0 .25rem; font-size: .95rem } p { margin: .25rem 0 }
.operation, .entry { border-bottom: 1px solid var(--line) } :is(.operation, .entry) > summary { padding: .75rem 0 } :is(.operation, .entry) > div { margin: 0 0 1.5rem; scroll-margin-top: 6rem }
summary h3 { display: inline; margin: 0 }
.columns { display: grid; gap: 0 2rem } .columns > div { min-width: 0 } .columns h4:first-child { margin-top: 0 }
.filter { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; margin-top: 1rem } .filter input { flex: 0 1 20rem }
.group:not(:has(> .operation:not([hidden]), > ul > li:not([hidden]))) { display: none }
.problems { margin-top: 1rem } .problems :is(th, td) { padding: .5rem .75rem .5rem 0 } .problems th { font-weight: 400; width: 40% } .problems thead th { font-weight: 600 } .problems p { color: var(--muted) } :target:is(tr) { background: var(--card) }
.method { font-weight: 700; color: var(--accent) }
.soft, .type { color: var(--muted); font-size: .9rem }
h3 code { font-size: 1em }
pre { margin: .5rem 0; padding: .75rem; background: var(--card); border-radius: .4rem; white-space: pre-wrap; font-size: .85rem } pre:empty, .status:empty { display: none } pre code { font-size: 1em }
.members, .responses { list-style: none; margin-block: .25rem; padding: 0 } .members > li { margin: .35rem 0 } .members .members { padding-left: 1rem; border-left: 2px solid var(--line) }
.responses > li { padding: .3rem 0; border-top: 1px solid var(--line) } .media { margin-block: .5rem }
summary { cursor: pointer; min-height: 1.5rem } .try { margin-top: .75rem } .try > summary { color: var(--accent); font-weight: 600 }
details details > :not(summary), .members > li > * { margin-left: 1rem } .members > li > :is(b, span) { margin-left: 0 } .members p, .media p { margin-block: 0 }
form { display: grid; gap: .75rem; padding: .5rem 0 } label { display: grid; gap: .25rem }
input, select, textarea { width: 100% } button { justify-self: start }
.sample p { display: flex; justify-content: space-between; align-items: center } .copy { padding: .15rem .75rem; font-size: .85rem; background: var(--card); color: var(--accent) }
.status { font-weight: 600; margin: 0 } form pre { margin: 0 }
html:not(.script) :is(.try, .copy, .filter) { display: none }
@media (min-width: 64rem) {
  :root { scroll-padding-top: 0 } :is(.operation, .entry) > div { scroll-margin-top: 4rem } .contents { display: none } body { display: grid; grid-template-columns: 21rem minmax(0, 1fr) } .bar { grid-column: 1 / -1 } main { padding: 1.5rem 2.5rem }
  #page-contents { display: block; position: sticky; inset: 0 auto auto; width: auto }
}
@media (min-width: 80rem) { .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 26rem) } }
@media print {
  body { display: block } .contents, #page-contents, .try, .copy, .filter { display: none }
  details::details-content { content-visibility: visible } .entry, .sample, .members > li { break-inside: avoid } .columns { display: block } h3, h4 { break-after: avoid }
}
`;
