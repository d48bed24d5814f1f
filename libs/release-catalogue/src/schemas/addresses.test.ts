import { REAL_TEXTS } from '../testing/edited-catalogue.ts';
import { InvalidDataError, shapedCatalogue } from '../files/read-catalogue.ts';

const violations = (file: string, from: string | RegExp, to: string): string[] => {
  const text = REAL_TEXTS.get(file)!;
  expect(text).toMatch(from);
  try {
    shapedCatalogue(new Map(REAL_TEXTS).set(file, text.replace(from, to)));
    return [];
  } catch (error) {
    return (error as InvalidDataError).violations.map(({ pointer }) => pointer);
  }
};

/** Whatever data becomes a link for readers: what a browser would run instead of opening is rejected. */
describe('addresses in the data', () => {
  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', '/relative'])(
    'a link of news is not %s',
    (link) => {
      const changed = violations('news.json', 'https://downloads.php.net/~svpernova09/', link);
      expect(changed).toEqual(['/items/0/link']);
    },
  );

  it.each([
    ['the id of news', 'news.json', 'tag:release-web,2026:news/8.6.0beta1', '/items/0/id'],
    ['the icon', 'product.json', 'http://php.net/favicon.ico', '/feed/icon'],
    ['the address of the author', 'product.json', 'http://php.net/contact', '/feed/author/uri'],
    [
      'the folder of releases',
      'product.json',
      /https:\/\/www\.php\.net\/distributions\/(?=")/,
      '/downloads/releases',
    ],
    ['the list of keys', 'product.json', 'https://www.php.net/gpg-keys.php#gpg-{branch}', '/pages/keys'],
    ['the folder of builds', 'product.json', 'https://downloads.php.net/~{manager}/', '/downloads/builds'],
    [
      'the page of a release',
      'branches/8.4.json',
      '/releases/8_4_23.php',
      '/history/0/published/announcement/English',
    ],
    [
      'the page of a download',
      'branches/5.4.json',
      'http://windows.php.net/download/#php-5.4',
      /^\/history\/\d+\/published\/\w+\/\d+\/link$/,
    ],
  ])('%s is not a script', (_what, file, from, pointer) => {
    const [found] = violations(file, from, 'javascript:alert(1)');
    expect(found).toEqual(typeof pointer === 'string' ? pointer : expect.stringMatching(pointer));
  });
});

/** Browsers read these as addresses of evil.example, or may after a proxy has decoded them. */
describe.each([
  [
    'a path',
    '/releases/8_4_23.php',
    'branches/8.4.json',
    [
      '//evil.example/',
      '/\\\\evil.example',
      '/\\t/evil.example',
      '/\\u0001/',
      '/.//evil.example',
      '/..//evil.example',
      '/%2F/evil.example',
      '/%5cevil.example',
      '/%2e%2f/',
      '/a"b',
      '/a<b',
      '/\\u007f',
    ],
  ],
  [
    'an address',
    'https://downloads.php.net/~svpernova09/',
    'news.json',
    [
      'https:///evil.example',
      'https://php.net\\\\@evil.example/',
      'https://www.php.net@evil.example/',
      'https://a.example/\\u0000',
      'https://a.example/\\n',
      'https://a.example/"',
    ],
  ],
])('%s that leads elsewhere', (_title, from, file, wrong) => {
  it.each(wrong)('is not %s', (to) => {
    expect(violations(file, from, to.replaceAll('"', '\\"'))).toHaveLength(1);
  });
});

it.each(['/', '/releases/8_5_0.php?a=//b#c', '/releases/8.5/\u00fc.php', 'https://php.watch/versions/8.5'])(
  'the page of a release may be %s',
  (to) => {
    expect(violations('branches/8.4.json', '/releases/8_4_23.php', to)).toEqual([]);
  },
);
