import { createHash } from 'node:crypto';
import { pageMarkup, pagePolicy, staleNotice } from './page.ts';
import { PAGE_STYLE } from './page-style.ts';

const header = { name: 'a & b', version: '1.2.3', root: '../' };

it('allows the style and script of the page, and nothing else', () => {
  const parts = { style: 'p{color:red}', script: 'run()' };
  const page = pageMarkup({ title: 'T', header, main: '', ...parts });
  const hash = (name: string) => {
    const text = new RegExp(`<${name}>([^]*?)</${name}>`).exec(page)![1]!;
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  expect(pagePolicy({ ...parts, connectsTo: ["'self'"], hasForms: true })).toBe(
    `default-src 'none'; script-src ${hash('script')}; style-src ${hash('style')}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  );
  expect(pagePolicy({})).not.toMatch(/script-src|connect-src|'self'/);
});

it('has the name, the version, the API and the health at the top, text escaped', () => {
  const page = pageMarkup({ title: '<t>', header: { ...header, home: '../home' }, main: '<p>x' });
  expect(page).toContain('<title>&lt;t&gt;</title>');
  expect(page).toContain('<a href="../home">a &amp; b</a> <small class="muted">1.2.3</small>');
  expect(page).toContain('<a href="../docs">API</a> <a href="../health">Health</a></nav>');
  expect(pageMarkup({ title: 'T', header: { ...header, hasHealth: false }, main: '' })).not.toContain(
    'ealth',
  );
  expect(pageMarkup({ title: 'T', header: undefined, main: '' })).not.toContain('<a ');
});

it('says in a language since when data is old', () => {
  const date = new Date('2026-08-03T23:00:00Z');
  expect(staleNotice(date, (day) => `Of ${day}.`)).toBe(
    '<p class="notice bad" id="stale">Of <time datetime="2026-08-03">3 Aug 2026</time>.</p>\n',
  );
  expect(staleNotice(date, (day) => day, 'de')).toContain('03.08.2026');
});

it('has each colour in light and dark', () => {
  const colours = [...PAGE_STYLE.matchAll(/--[\w-]+:(light-dark\()?#/g)];
  expect(colours.filter(([, both]) => both).length).toBeGreaterThan(15);
  // In print alone there is one scheme.
  expect(PAGE_STYLE.slice(0, PAGE_STYLE.indexOf('@media print'))).not.toMatch(/--[\w-]+:#/);
});
