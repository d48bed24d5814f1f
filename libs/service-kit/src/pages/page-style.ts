/**
 * The style of all pages of all services, light and dark: colours, type, header, notices, tables, controls, footer.
 * Without web fonts or images: nothing is fetched. What only one page has, it adds.
 */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--width:66rem;
--page:light-dark(#fff,#111418);--card:light-dark(#f5f6f8,#191e24);--text:light-dark(#1a1d24,#e7eaee);--muted:light-dark(#59606d,#a2abb8);--line:light-dark(#dfe3e8,#2d343e);--field:light-dark(#7f8894,#6b7681);
--accent:light-dark(#0b5cad,#8ec5ff);--on-accent:light-dark(#fff,#08131d);
--good-back:light-dark(#e2f3ea,#12342a);--good:light-dark(#125a3b,#86e2b6);--fair-back:light-dark(#fcefd0,#3a2b0c);--fair:light-dark(#6a4200,#f4ce80);
--gone-back:light-dark(#eceef2,#272d36);--gone:light-dark(#4a5160,#b9c1cc);--bad-back:light-dark(#fde7ea,#431a21);--bad:light-dark(#96132a,#ffb3bd)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
.bar>*,main,.foot>*{max-width:var(--width);margin-inline:auto;padding-inline:1.25rem}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:1px}a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}
.skip{position:absolute;inset-inline-start:-100vw;padding:.5rem 1rem;background:var(--page)}.skip:focus{inset-inline-start:1rem;top:.5rem;z-index:2}
.bar{border-bottom:1px solid var(--line)}.bar>nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;padding-block:.9rem}
.bar a{text-decoration:none}.bar a:hover{text-decoration:underline}
.brand{margin-right:auto}.brand a{font-weight:700;color:inherit}
main{padding-block:1.5rem 3rem}
h1{line-height:1.2;margin:0 0 .75rem;overflow-wrap:anywhere}
p{margin:.5rem 0}
.lead{font-size:1.15rem}.muted{color:var(--muted)}
code,pre,textarea{font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;font-size:.9em}a code{overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0}dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
.notice{max-width:none;margin:0 0 1rem;padding:.75rem 1rem;border-radius:.5rem;overflow-wrap:anywhere;background:var(--gone-back);color:var(--gone)}.notice.bad{background:var(--bad-back);color:var(--bad)}.notice a{color:inherit}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
input,select,textarea,button{font:inherit;color:inherit;min-width:0;padding:.5rem .75rem;border:1px solid var(--field);border-radius:.4rem;background:var(--page)}
textarea{font:.9rem/1.5 ui-monospace,monospace;resize:vertical}
button{border-color:transparent;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
.foot{border-top:1px solid var(--line);color:var(--muted);font-size:.875rem}.foot>*{padding-block:1.5rem}
@media (max-width:44rem){.bar>nav{gap:.25rem .75rem;font-size:.9375rem}.bar>nav:has(>a:nth-of-type(3)) .brand{width:100%}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--text:#000;--muted:#333;--line:#999;--accent:#000}.bar nav>a,.skip{display:none}main{max-width:none;padding:0}.bar>*,.foot>*{padding-inline:0}}
`;
