/** What these pages add to the style of all. */
export const STYLE = `
html{scroll-padding-top:1rem}
:root{--stable:light-dark(#1c7c54,#4cc38a);--on-stable:light-dark(#fff,#06281a);--security:light-dark(#f2b134,#e3a436);--on-security:light-dark(#3b2500,#2a1a00);--today:light-dark(#c81e3a,#ff7a8a)}
body{min-height:100vh;display:flex;flex-direction:column;line-height:1.55;font-variant-numeric:tabular-nums}
main{flex:1;width:100%;padding-block:2.5rem 4rem}
h1{font-size:clamp(1.9rem,5vw,2.6rem);letter-spacing:-.02em;text-wrap:balance}
.notice+h1{margin-top:1.5rem}
h2{font-size:1.35rem;line-height:1.25;letter-spacing:-.01em;margin:3.5rem 0 1rem}
h3{font-size:1.1rem;margin:0}
p{max-width:44rem}
.lead{color:var(--muted)}.lead strong{color:var(--text);font-weight:600}
small,.small{font-size:.875rem}
time,.small{white-space:nowrap}
code{font-size:.85em}
.tag{display:inline-block;padding:.05rem .5rem;border-radius:1rem;font-size:.8125rem;font-weight:600;white-space:nowrap;background:var(--gone-back);color:var(--gone)}
.tag.stable{background:var(--good-back);color:var(--good)}.tag.security{background:var(--fair-back);color:var(--fair)}.tag.bad{background:var(--bad-back);color:var(--bad)}
h1 .tag{font-size:.95rem;letter-spacing:0;vertical-align:.35em;margin-left:.6rem}
figure{margin:2rem 0 0}
.timeline{padding-left:56px}
.timeline svg{display:block;width:100%;overflow:visible;direction:ltr}
.timeline text{font:13px system-ui,sans-serif;fill:var(--text)}.timeline .axis{fill:var(--muted)}.timeline .branch{font-weight:650;font-size:15px}
.timeline .year{stroke:var(--line)}.timeline .stable{fill:var(--stable)}.timeline .on-stable{fill:var(--on-stable)}.timeline .security{fill:var(--security)}.timeline .on-security{fill:var(--on-security)}
.timeline .future{fill:none;stroke:var(--muted);stroke-dasharray:4 3}.timeline .ended rect{opacity:.4}.timeline .ended .branch{fill:var(--muted)}.timeline .ended .until{fill:var(--text)}
.timeline .today{stroke:var(--today);stroke-width:2}.timeline .today-text{fill:var(--today);font-weight:600}
figcaption{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-top:.75rem;font-size:.875rem;color:var(--muted)}
figcaption a{margin-left:auto}
.key::before{content:"";display:inline-block;width:.9rem;height:.75rem;margin-inline-end:.45rem;background:var(--c);forced-color-adjust:none}.key.stable{--c:var(--stable)}.key.security{--c:var(--security)}
.next{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:1rem}
.next li{padding:.9rem 1.1rem;border-radius:.5rem;background:var(--card)}.next strong{display:block}
.next ul{margin:.4rem 0 0;padding:0;list-style:none}.next ul li{padding:0;background:none}
th,td{padding:.6rem 1rem .6rem 0}
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
.copy{visibility:hidden;min-width:5rem;padding:.2rem .6rem;font-size:.875rem;font-weight:400;color:var(--accent);background:none;border-color:var(--line)}
.copy:hover{border-color:currentColor}.script .copy{visibility:visible}
p>code{white-space:nowrap}
.command{display:flex;gap:1rem;align-items:center;padding:.6rem .75rem .6rem 1rem;border-radius:.5rem;background:var(--card);max-width:none}
.command code{flex:1;white-space:pre-wrap;overflow-wrap:anywhere}.command+h3{margin-top:2rem}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:0 3rem}
.plain{list-style:none;margin:0;padding:0}.plain li{padding:.6rem 0;border-bottom:1px solid var(--line)}.plain li p{margin:.1rem 0 0}
.dates{display:grid;grid-template-columns:auto 1fr;gap:.4rem 1.5rem;margin:0}.dates dt{color:var(--muted)}.dates dd{margin:0}
.plain{overflow-wrap:anywhere}
.pages{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin-top:2rem}
.foot{background:var(--card)}.foot p{max-width:66rem}
.status{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:64rem){.timeline .until{display:none}}
@media (max-width:44rem){
main{padding-block:1.75rem 3rem}h2{margin-top:2.75rem}.wide{display:none}
.timeline{padding-left:40px}.timeline .branch{transform:translateX(14px)}
th,td{padding-right:.6rem}table{font-size:.9375rem}td small,th small{font-size:.8rem}
.files li{grid-template-columns:1fr auto;padding:.6rem 0}.files .hash{grid-column:1/-1;grid-row:2}
.command,.command code{display:block}.command .copy{margin-top:.5rem}
figcaption a{margin-left:0}
}
@media (max-width:24.25rem){td time{white-space:normal}}
@media print{
.copy,figcaption a,.screen{display:none}h2{margin-top:1.5rem}h2,h3{break-after:avoid}
figure,.release,tr,.files li{break-inside:avoid}.timeline svg,.key::before,.tag{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`;
