/** The style of the reference page, light and dark. Without web fonts or images: nothing is fetched. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; scroll-padding-top: 4rem;
  --page: light-dark(#fff, #12161b); --text: light-dark(#1b2027, #e6eaee); --soft: light-dark(#57606a, #9eaab6); --line: light-dark(#d5dae0, #2e3740);
  --code: light-dark(#f4f6f8, #1a2027); --accent: light-dark(#0b5cad, #8ec5ff); --on-accent: light-dark(#fff, #08131d); --field: light-dark(#8b949e, #6b7681) }
html { scrollbar-gutter: stable }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .5rem }
header { position: sticky; top: 0; padding: .5rem 1rem; background: var(--page); border-bottom: 1px solid var(--line) }
nav { width: 20rem; max-width: 85vw; height: 100dvh; max-height: none; margin: 0; padding: 1rem; border: 0; border-right: 1px solid var(--line); overflow: auto; background: var(--page); color: inherit }
main { padding: 1rem }
nav ul { list-style: none; margin: 0 0 .75rem; padding: 0 } nav p { margin: .5rem 0 .25rem; font-weight: 600 }
nav li a { display: grid; grid-template-columns: 3.25rem 1fr; align-items: baseline; padding: .15rem 0; min-height: 1.6rem; font-size: .85rem; text-decoration: none; color: var(--text) }
nav li a:hover code { text-decoration: underline } nav .method { font-size: .7rem }
main { max-width: 56rem }
h1 { margin: 0 } h1, h2, h3 { line-height: 1.25 } h2 { margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line) }
h3 { margin: 0 0 .5rem; font-size: 1.1rem } h3 a { color: inherit; text-decoration: none } h3 a:hover { text-decoration: underline }
h4 { margin: 1rem 0 .25rem; font-size: .95rem } p { margin: .25rem 0 } a { color: var(--accent) }
.operation, .entry { padding: 1.5rem 0; border-bottom: 1px solid var(--line) }
.method { font-weight: 700; color: var(--accent) }
.soft, .type { color: var(--soft); font-size: .9rem }
code, pre, textarea { font-family: ui-monospace, monospace; font-size: .9em } h3 code { font-size: 1em }
pre { margin: .5rem 0; padding: .75rem; background: var(--code); border-radius: .4rem; white-space: pre-wrap; font-size: .85rem } pre:empty, .status:empty { display: none } pre code { font-size: 1em }
.members, .responses { list-style: none; margin-block: .25rem; padding: 0 } .members > li { margin: .35rem 0 } .members .members { padding-left: 1rem; border-left: 2px solid var(--line) }
.responses > li { padding: .3rem 0; border-top: 1px solid var(--line) } .media { margin-block: .5rem }
summary { cursor: pointer; min-height: 1.5rem } .operation > details { margin-top: .75rem } .operation > details > summary { color: var(--accent); font-weight: 600 }
details > :not(summary), .members > li > * { margin-left: 1rem } .members > li > :is(b, span) { margin-left: 0 } .members p, .media p { margin-block: 0 }
form { display: grid; gap: .75rem; padding: .5rem 0 } label { display: grid; gap: .25rem }
input, select, textarea, button { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--field); border-radius: .4rem; padding: .4rem .6rem; min-width: 0; width: 100% }
textarea { font: .85rem/1.5 ui-monospace, monospace; resize: vertical }
button { width: auto; justify-self: start; cursor: pointer; background: var(--accent); color: var(--on-accent); border: 0; font-weight: 600 }
.sample p { display: flex; justify-content: space-between; align-items: center } .copy { padding: .15rem .75rem; font-size: .85rem; background: var(--code); color: var(--accent) }
.status { font-weight: 600; margin: 0 } form pre { margin: 0 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
html:not(.script) :is(.try, .copy) { display: none }
@media (min-width: 64rem) {
  :root { scroll-padding-top: 1rem } header { display: none } body { display: grid; grid-template-columns: 21rem minmax(0, 1fr) } main { padding: 1.5rem 2.5rem }
  nav { display: block; position: sticky; inset: 0 auto auto; width: auto }
}
@media print {
  body { display: block } header, nav, .try, .copy, .skip { display: none } main { max-width: none; padding: 0 }
  details::details-content { content-visibility: visible } .entry, .sample, .members > li { break-inside: avoid } h3, h4 { break-after: avoid }
}
`;
