import type { Problem } from '@workspace/schemas';
import { captureLogger } from '@workspace/testing';
import { ProblemError } from './problem-error.ts';
import { createService } from '../service.ts';
import { plainProblemPage, problemMarkup, wayToRoot, withProblemPages } from './problem-page.ts';
import { renderProblemJson } from './problem-reply.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const broken = { code: 'broken', status: 422, title: 'Broken & <worse>' };

const build = () => {
  const app = createService({
    logger: captureLogger().logger,
    renderProblem: withProblemPages(
      renderProblemJson,
      plainProblemPage(
        'demo',
        (root) => ({ name: 'demo', version: '1.2.3', root, links: { more: 'More' } }),
        () => 'curl <host>',
      ),
    ),
  });
  const fail = () => {
    throw new ProblemError(broken, {
      detail: '<script>alert(1)</script>',
      errors: [{ pointer: '#/querystring/"', code: 'c', detail: 'must be <b>' }],
      headers: { 'retry-after': '7' },
    });
  };
  app.get('/a/broken', fail);
  app.post('/a/broken', fail);
  return app;
};

describe('a problem as a page', () => {
  it('has the status and headers of the problem, its words escaped, and ways on', async () => {
    const { statusCode, headers, body } = await build().inject({
      url: '/a/broken',
      headers: { accept: BROWSER },
    });
    expect(statusCode).toBe(422);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '7',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*style-src 'sha256-/),
    });
    expect(body).toContain('<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>');
    expect(body).toContain('<li>&quot; must be &lt;b&gt;</li>');
    expect(body).toContain('<small>Broken &amp; &lt;worse&gt; · HTTP status 422');
    expect(body).toContain(`<code>${String(headers['x-request-id'])}</code>`);
    expect(body).toContain('<a href="../">demo</a> <small class="muted">1.2.3</small>');
    expect(body).toContain(
      '<a href="../more">More</a> <a href="../docs">API</a> <a href="../health">Health</a></nav>',
    );
    expect(body).toContain('<pre><code>curl &lt;host&gt;</code></pre>');
    expect(body).toContain('<p><a href="../docs">See all paths</a></p>');
    expect(body).not.toContain('<script');
  });

  it('is for paths that do not exist, too', async () => {
    const { statusCode, body } = await build().inject({ url: '/no/such/page', headers: { accept: BROWSER } });
    expect(statusCode).toBe(404);
    expect(body).toContain('<h1>There is nothing at /no/such/page</h1>');
    expect(body).toContain('href="../../docs"');
  });

  it.each([
    ['anything', '*/*'],
    ['JSON', 'application/json'],
    ['JSON before HTML', 'application/json, text/html;q=0.9'],
    ['nothing', undefined],
  ])('is not for a client that asks for %s', async (_what, accept) => {
    const answer = await build().inject({ url: '/a/broken', headers: accept ? { accept } : {} });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['content-security-policy']).toBeUndefined();
    expect(answer.json()).toMatchObject({ type: 'urn:problem-type:broken', status: 422 });
  });

  it('is never the answer to a POST', async () => {
    const answer = await build().inject({ method: 'POST', url: '/a/broken', headers: { accept: BROWSER } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });
});

const item = (code: string, detail: string, pointer = '#/querystring/limit') => ({ pointer, code, detail });
it.each<[what: string, problem: Partial<Problem>, markup: string[]]>([
  [
    'a detail',
    { detail: 'There is no PHP 9.9. Try 8.5.' },
    ['<h1>There is no PHP 9.9</h1>', '<p class="lead">Try 8.5.</p>'],
  ],
  [
    'a long detail',
    { detail: `${'a'.repeat(101)}.` },
    ['<h1>Title</h1>', `<p class="lead">${'a'.repeat(101)}.</p>`],
  ],
  ['one violation', { errors: [item('minimum', 'must be >= 1')] }, ['<h1>limit must be at least 1</h1>']],
  ['a missing parameter', { errors: [item('required', 'x')] }, ['<h1>limit is missing</h1>']],
  [
    'a format',
    { errors: [item('format', 'must match format "date"')] },
    ['<h1>limit must be a valid date</h1>'],
  ],
  [
    'a violation in the detail',
    { detail: 'limit takes one value.', errors: [item('x', 'y')] },
    ['<h1>limit takes one value</h1>'],
  ],
  [
    'several violations',
    { errors: [item('maximum', 'must be <= 9'), item('x', 'is odd', '#/a/b')] },
    ['<h1>Title</h1>', '<ul><li>limit must be at most 9</li><li>#/a/b is odd</li></ul>'],
  ],
  ['nothing else', {}, ['<h1>Title</h1>']],
])('says what is wrong once: %s', (_what, problem, markup) => {
  const page = problemMarkup({ type: 'urn:problem-type:t', title: 'Title', status: 400, ...problem }, '/a');
  for (const part of markup) expect(page).toContain(part);
  expect(page.match(/<li>/g) ?? []).toHaveLength(markup.join('').split('<li>').length - 1);
  expect(page.split('Title')).toHaveLength(2);
});

it.each([
  ['/', './'],
  ['/a', './'],
  ['/a/', '../'],
  ['/a/b/c?d=/e/f', '../../'],
  ['//a', '../'],
])('the way from %s to the root is %s', (url, way) => {
  expect(wayToRoot(url)).toBe(way);
  const root = new URL(way, `http://host/prefix${url}`).pathname;
  expect(root).toBe('/prefix/');
});

it('is the root itself for `*`, which has no path', () => expect(wayToRoot('*')).toBe('./'));
