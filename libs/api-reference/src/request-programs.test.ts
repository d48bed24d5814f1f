import { execFileSync } from 'node:child_process';
import { type ExampleRequest, requestPrograms } from './request-programs.ts';

const URL_TEXT = 'https://service.example/a%20b?c=d&e=%27';
const REQUESTS: readonly (readonly [name: string, request: ExampleRequest])[] = [
  ['a GET', { method: 'GET', url: URL_TEXT, headers: [] }],
  ['a DELETE with a header', { method: 'DELETE', url: URL_TEXT, headers: [['If-Match', `"it's $HOME"`]] }],
  [
    'a POST of JSON',
    {
      method: 'POST',
      url: URL_TEXT,
      headers: [['Content-Type', 'application/json']],
      body: '[\n  {"cost": 10.00, "none": null, "yes": true}\n]',
    },
  ],
  [
    'a PUT of all that has to be escaped',
    { method: 'PUT', url: URL_TEXT, headers: [], body: `'\\'' \`$\{x}\` $(id) """ "" \\n \r\n é😀 %s "` },
  ],
];

/** What a program sends, told by a double of its client that prints [method, URL, headers, body]. */
const RUN: Readonly<Record<string, (program: string) => unknown>> = {
  JavaScript: (program) => {
    const fetch = `const fetch = (url, { method = 'GET', headers = {}, body = null } = {}) => {
      process.stdout.write(JSON.stringify([method, url, headers, body]));
      process.exit();
    };`;
    return JSON.parse(run(process.execPath, ['--input-type=module', '--eval', `${fetch}\n${program}`]));
  },
  Python: (program) => {
    const requests = `import json, os, sys, types
def request(method, url, headers={}, data=None):
    print(json.dumps([method, url, headers, data])); sys.stdout.flush(); os._exit(0)
sys.modules["requests"] = types.SimpleNamespace(request=request)
`;
    return JSON.parse(run('python3', ['-c', requests + program]));
  },
  curl: (program) => {
    const [url, ...options] = run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${program}`]).split('\0');
    const sent = { method: undefined as string | undefined, headers: {}, body: null as string | null };
    for (let index = 0; index + 1 < options.length; index += 2) {
      const [option, value] = [options[index], options[index + 1]!];
      if (option === '--request') sent.method = value;
      if (option === '--header') Object.assign(sent.headers, Object.fromEntries([value.split(': ', 2)]));
      if (option === '--data-binary') sent.body = value;
    }
    return [sent.method ?? (sent.body === null ? 'GET' : 'POST'), url, sent.headers, sent.body];
  },
};

const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8' });

describe.each(Object.entries(RUN))('%s', (language, send) => {
  it.each(REQUESTS)('sends %s as it is', (_name, request) => {
    const { method, url, headers, body = null } = request;
    expect(send(requestPrograms(request)[language]!)).toEqual([
      method,
      url,
      Object.fromEntries(headers),
      body,
    ]);
  });
});
