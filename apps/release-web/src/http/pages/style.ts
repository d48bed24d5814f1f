/** The pages' style. Without web fonts and images: nothing is fetched. */
export const STYLE = `
:root{color-scheme:light dark;--page:#fff;--soft:#f5f6f8;--text:#1a1d24;--muted:#59606d;--line:#dfe3e8;--accent:#3747b8;
--stable:#1c7c54;--on-stable:#fff;--security:#f2b134;--on-security:#3b2500;--today:#c81e3a;
--good-back:#e2f3ea;--good:#125a3b;--fair-back:#fcefd0;--fair:#6a4200;--gone-back:#eceef2;--gone:#4a5160;--bad-back:#fde7ea;--bad:#96132a}
@media screen and (prefers-color-scheme:dark){:root{--page:#111418;--soft:#191e24;--text:#e7eaee;--muted:#a2abb8;--line:#2d343e;--accent:#a3b4ff;
--stable:#4cc38a;--on-stable:#06281a;--security:#e3a436;--on-security:#2a1a00;--today:#ff7a8a;
--good-back:#12342a;--good:#86e2b6;--fair-back:#3a2b0c;--fair:#f4ce80;--gone-back:#272d36;--gone:#b9c1cc;--bad-back:#431a21;--bad:#ffb3bd}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--page);color:var(--text);font:1rem/1.55 system-ui,sans-serif;font-variant-numeric:tabular-nums}
.bar>*,main,.foot>*{max-width:66rem;margin-inline:auto;padding-inline:1.25rem}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}
.skip{position:absolute;inset-inline-start:-100vw;padding:.5rem 1rem;background:var(--page)}.skip:focus{inset-inline-start:1rem;top:.5rem;z-index:1}
.bar{border-bottom:1px solid var(--line)}
.bar>nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;padding-block:.9rem}
.bar a{text-decoration:none}.bar a:hover{text-decoration:underline}
.brand{font-weight:700;margin-right:auto;color:inherit}
main{flex:1;width:100%;padding-block:2.5rem 4rem}
h1{font-size:clamp(1.9rem,5vw,2.6rem);line-height:1.15;letter-spacing:-.02em;margin:0 0 .75rem;text-wrap:balance}
.notice+h1{margin-top:1.5rem}
h2{font-size:1.35rem;line-height:1.25;letter-spacing:-.01em;margin:3.5rem 0 1rem}
h3{font-size:1.1rem;margin:0}
p{margin:.5rem 0;max-width:44rem}
.lead{font-size:1.15rem;color:var(--muted)}.lead strong{color:var(--text);font-weight:600}
small,.small{font-size:.875rem}.muted{color:var(--muted)}
time,.small{white-space:nowrap}
code{font:.85em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.tag{display:inline-block;padding:.05rem .5rem;border-radius:1rem;font-size:.8125rem;font-weight:600;white-space:nowrap;background:var(--gone-back);color:var(--gone)}
.tag.stable{background:var(--good-back);color:var(--good)}.tag.security{background:var(--fair-back);color:var(--fair)}.tag.bad{background:var(--bad-back);color:var(--bad)}
h1 .tag{font-size:.95rem;letter-spacing:0;vertical-align:.35em;margin-left:.6rem}
.notice{max-width:none;padding:.75rem 1rem;border-radius:.5rem;background:var(--gone-back);color:var(--gone)}.notice.bad{background:var(--bad-back);color:var(--bad)}.notice a{color:inherit}
figure{margin:2rem 0 0}
.timeline{padding-left:56px}
.timeline svg{display:block;width:100%;overflow:visible}
.timeline text{font:13px system-ui,sans-serif;fill:var(--text)}.timeline .axis{fill:var(--muted)}.timeline .branch{font-weight:650;font-size:15px}
.timeline .year{stroke:var(--line)}.timeline .stable{fill:var(--stable)}.timeline .on-stable{fill:var(--on-stable)}.timeline .security{fill:var(--security)}.timeline .on-security{fill:var(--on-security)}
.timeline .future{fill:none;stroke:var(--muted);stroke-dasharray:4 3}.timeline .ended rect{opacity:.4}.timeline .ended .branch{fill:var(--muted)}.timeline .ended .until{fill:var(--text)}
.timeline .today{stroke:var(--today);stroke-width:2}.timeline .today-text{fill:var(--today);font-weight:600}
figcaption{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-top:.75rem;font-size:.875rem;color:var(--muted)}
figcaption a{margin-left:auto}
.key::before{content:"";display:inline-block;width:.9rem;height:.75rem;margin-inline-end:.45rem;background:var(--c);forced-color-adjust:none}.key.stable{--c:var(--stable)}.key.security{--c:var(--security)}
.next{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:1rem}
.next li{padding:.9rem 1.1rem;border-radius:.5rem;background:var(--soft)}.next strong{display:block}
.next ul{margin:.4rem 0 0;padding:0;list-style:none}.next ul li{padding:0;background:none}
table{border-collapse:collapse;width:100%}
th,td{padding:.6rem 1rem .6rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{font-size:.875rem;font-weight:600;color:var(--muted);vertical-align:bottom}tbody th{font-weight:650}
td:last-child,th:last-child{padding-right:0}
td small,th small{display:block;color:var(--muted);font-weight:400}
tbody th a{font-size:1.1rem}
.dense td,.dense th{padding-block:.35rem}.dense th a{font-size:1rem}
.pages+table{margin-top:1.5rem}tbody [scope=rowgroup]{padding-top:1.5rem}
.releases{display:grid;gap:2rem}
.release-head{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;margin-bottom:.5rem}
.files{list-style:none;margin:0;padding:0;border-top:1px solid var(--line)}
.files li{display:grid;grid-template-columns:minmax(12rem,17rem) 1fr auto;gap:.1rem 1rem;align-items:center;padding:.45rem 0;border-bottom:1px solid var(--line);min-height:2.9rem}
.files small{color:var(--muted)}.files a small{color:inherit}
.hash{overflow-wrap:anywhere;color:var(--muted);font-size:.875rem}
.hash code{font-size:.76rem;word-break:break-all}
.copy{visibility:hidden;min-width:5rem;padding:.2rem .6rem;font:inherit;font-size:.875rem;color:var(--accent);background:none;border:1px solid var(--line);border-radius:.35rem;cursor:pointer}
.copy:hover{border-color:currentColor}.script .copy{visibility:visible}
p>code{white-space:nowrap}
.command{display:flex;gap:1rem;align-items:center;padding:.6rem .75rem .6rem 1rem;border-radius:.5rem;background:var(--soft);max-width:none}
.command code{flex:1;white-space:pre-wrap;overflow-wrap:anywhere}.command+h3{margin-top:2rem}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:0 3rem}
.plain{list-style:none;margin:0;padding:0}.plain li{padding:.6rem 0;border-bottom:1px solid var(--line)}.plain li p{margin:.1rem 0 0}
.dates{display:grid;grid-template-columns:auto 1fr;gap:.4rem 1.5rem;margin:0}.dates dt{color:var(--muted)}.dates dd{margin:0}
h1,.notice,.plain,a code{overflow-wrap:anywhere}
.pages{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin-top:2rem}
.foot{border-top:1px solid var(--line);background:var(--soft);color:var(--muted);font-size:.875rem}.foot>*{padding-block:1.5rem}.foot p{max-width:66rem}
.status{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:44rem){
main{padding-block:1.75rem 3rem}h2{margin-top:2.75rem}.wide{display:none}
.timeline{padding-left:40px}.timeline .branch{transform:translateX(14px)}.timeline .until{display:none}
th,td{padding-right:.6rem}table{font-size:.9375rem}td small,th small{font-size:.8rem}
.files li{grid-template-columns:1fr auto;padding:.6rem 0}.files .hash{grid-column:1/-1;grid-row:2}
.command,.command code{display:block}.command .copy{margin-top:.5rem}
.bar>nav{gap:.25rem .75rem;font-size:.9375rem}.brand{width:100%}figcaption a{margin-left:0}
}
@media (max-width:24.25rem){td time{white-space:normal}}
@media print{
:root{color-scheme:light;--page:#fff;--soft:#fff;--text:#000;--muted:#333;--line:#999;--accent:#000}
.bar nav a:not(.brand),.copy,.skip,figcaption a,.screen{display:none}main{padding:0;max-width:none}.bar>*,.foot>*{padding-inline:0}h2{margin-top:1.5rem}h2,h3{break-after:avoid}
figure,.release,tr,.files li{break-inside:avoid}.timeline svg,.key::before,.tag{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`;
