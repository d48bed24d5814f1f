import { CommandRejected } from '@workspace/release-cli';
import { PUBLIC_HEADERS } from '../../http/rendering/send.ts';
import type { ExportedPath } from './export-requests.ts';
import { Numbers } from './manifest.ts';
import { type ExportedAnswer, FRESH, type Rendering, SITE_FOLDER } from './render.ts';

/** What the export has no answer for; without an address in it, as nginx does not escape one. */
const PROBLEMS = [
  {
    title: 'Not found',
    status: 404,
    detail: 'This mirror is a set of files. It has no answer for this path with these parameters.',
  },
  { title: 'Method not allowed', status: 405, detail: 'Only GET and HEAD are allowed.' },
];

/**
 * The configuration that lets nginx answer as the service does: which file counts for a path, a query and the content coding, and
 * with which headers. Without modules.
 */
export const nginxMaps = (
  { answers, redirects }: Rendering,
  validUntil: Date,
  paths: readonly ExportedPath[],
): string => {
  const parametersOf = new Map(
    paths.filter(({ parameters }) => parameters.length > 0).map(({ path, parameters }) => [path, parameters]),
  );
  const sets = new Numbers();
  const rows = answers.map((answer): Row => {
    const { etag, headers, isConditional } = answer;
    const set = sets.of(JSON.stringify([headers, isConditional]));
    const key = keyOf(answer, parametersOf);
    return [key, `${set} ${etag.slice(1, -1)} ${key} ${nameOf(answer)}`];
  });
  const setRows = sets.values.map(
    (text) => JSON.parse(text) as [headers: Record<string, string>, isConditional: boolean],
  );
  return [
    `# Made by \`release-data export\`, and right until ${validUntil.toISOString()}: include this file inside \`http\`.`,
    'map_hash_max_size 262144;',
    'map_hash_bucket_size 512;',
    'variables_hash_max_size 2048;',
    'variables_hash_bucket_size 128;',
    '',
    '# The path and the parameters that count, in one order. An exclamation mark: more than files can answer.',
    map('$request_uri', '$release_web_path', [['~^(?<release_web_1>[^?#]*)', '$release_web_1']]),
    map('$args', '$release_web_odd', [['~(?:^|&)[^=&]*[%+\\[]', '!']]),
    ...[...new Set([...parametersOf.values()].flat())].map(parameterMap),
    map(
      '$release_web_path',
      '$release_web_query',
      [...parametersOf].map(([path, known]) => [
        path,
        `${known.map((name) => `$release_web_q_${name}`).join('')}$release_web_odd`,
      ]),
    ),
    '',
    '# Path and query to: its headers, its entity tag, the key itself, as nginx compares without regard to case, and its file.',
    map('"$release_web_path$release_web_query"', '$release_web_answer', rows),
    map('$release_web_answer', '$release_web_set', [['~^(?<release_web_2>\\d+) ', '$release_web_2']]),
    map('$release_web_answer', '$release_web_tag', [['~^\\d+ (?<release_web_3>\\S+) ', '$release_web_3']]),
    map('$release_web_answer', '$release_web_key', [
      ['~^\\d+ \\S+ (?<release_web_4>\\S+) ', '$release_web_4'],
    ]),
    map('$release_web_answer', '$release_web_name', [
      ['~^\\d+ \\S+ \\S+ (?<release_web_5>.+)$', '$release_web_5'],
    ]),
    '',
    '# Weights only exclude a coding: of those that a client accepts, the shortest is sent.',
    map('$http_accept_encoding', '$release_web_no_br', [[`~*${listed('br')}${ZERO}`, '1']]),
    map('$http_accept_encoding', '$release_web_gzip', [
      [`~*${listed('(?:x-)?gzip')}${ZERO}`, ''],
      [`~*${listed('(?:(?:x-)?gzip|\\*)')}${NOT_ZERO}`, 'gzip'],
    ]),
    map(
      '"$release_web_no_br $http_accept_encoding"',
      '$release_web_coding',
      [
        ['~^1', '$release_web_gzip'],
        [`~*${listed('(?:br|\\*)', '\\s')}${NOT_ZERO}`, 'br'],
      ],
      '$release_web_gzip',
    ),
    map('$release_web_coding', '$release_web_ending', [
      ['gzip', '.gz'],
      ['br', '.br'],
    ]),
    map(
      '$release_web_coding',
      '$release_web_etag',
      [
        ['gzip', '"\\"$release_web_tag-gzip\\""'],
        ['br', '"\\"$release_web_tag-br\\""'],
      ],
      '"\\"$release_web_tag\\""',
    ),
    map('$release_web_set', '$release_web_match', [
      ['~', '$release_web_seen'],
      ...setRows.flatMap(([, isConditional], set) => (isConditional ? [] : [[String(set), 'always sent']])),
    ]),
    map('$http_if_none_match', '$release_web_seen', [
      ['~^(?:W/)?(?<release_web_6>"[^"]*")$', '$release_web_6'],
    ]),
    '',
    '# Headers.',
    ...headerNames(answers).map((name) =>
      map(
        '$release_web_set',
        headerVariable(name),
        setRows.flatMap(([headers], set) => {
          const content = headers[name];
          return content === undefined ? [] : [[String(set), content]];
        }),
      ),
    ),
    '',
    '# Redirects.',
    ...[301, 302].map((status) =>
      map(
        '$release_web_path',
        `$release_web_${status}`,
        redirects
          .filter((redirect) => redirect.status === status)
          .map(({ path, location, keepsQuery }) => [
            path,
            `${literal(location)}${keepsQuery ? '$is_args$args' : ''}`,
          ]),
      ),
    ),
    '',
  ].join('\n');
};

/** What belongs into `server`. @param root the folder of the export, as nginx sees it */
export const nginxServer = ({ answers }: Rendering, root: string): string => {
  const everywhere = [
    ...Object.entries(PUBLIC_HEADERS).map(([name, value]) => `add_header ${name} ${quoted(value)} always;`),
  ];
  const own = headerNames(answers).filter((name) => !Object.hasOwn(PUBLIC_HEADERS, name));
  return [
    '# Made by `release-data export`: include this file inside `server`, and no other `location /`.',
    'location / {',
    `  root ${quoted(root)};`,
    '  if ($request_method !~ "^(?:GET|HEAD)$") { return 405; }',
    ...[301, 302].flatMap((status) => [
      `  if ($release_web_${status}) {`,
      `    add_header Cache-Control ${quoted(FRESH)} always;`,
      ...everywhere.map((line) => `    ${line}`),
      `    return ${status} $release_web_${status};`,
      '  }',
    ]),
    '  if ($release_web_key != "$release_web_path$release_web_query") { return 404; }',
    '  if ($release_web_match = $release_web_etag) { return 304; }',
    '  # The type comes with the other headers, the entity tag from the content.',
    '  types { }',
    '  default_type "";',
    '  etag off;',
    '  gzip off;',
    '  max_ranges 0;',
    '  add_header ETag $release_web_etag;',
    '  add_header Content-Encoding $release_web_coding;',
    ...own.map((name) => `  add_header ${name} ${headerVariable(name)};`),
    ...everywhere.map((line) => `  ${line}`),
    '  error_page 404 @release_web_404;',
    '  error_page 405 @release_web_405;',
    `  try_files "/${SITE_FOLDER}/$release_web_name$release_web_ending" =404;`,
    '}',
    // The signatures, when it is signed. The name of a target begins with its digest; the next root is not there yet.
    ...[
      ['metadata', 'application/json', 'no-cache'],
      ['targets', 'application/octet-stream', 'public, max-age=31536000, immutable'],
    ].flatMap(([folder, type, cacheControl]) => [
      `location /tuf/${folder}/ {`,
      `  root ${quoted(root)};`,
      '  types { }',
      `  default_type ${type};`,
      `  add_header Cache-Control "${cacheControl}"${folder === 'metadata' ? ' always' : ''};`,
      ...everywhere.map((line) => `  ${line}`),
      '}',
    ]),
    ...PROBLEMS.flatMap((problem) => [
      `location @release_web_${problem.status} {`,
      '  default_type "application/problem+json; charset=utf-8";',
      '  add_header Cache-Control no-store always;',
      ...everywhere.map((line) => `  ${line}`),
      ...(problem.status === 405 ? ['  add_header Allow "GET, HEAD" always;'] : []),
      `  return ${problem.status} '${JSON.stringify({ type: 'about:blank', ...problem })}';`,
      '}',
    ]),
    '',
  ].join('\n');
};

/** Of all headers that an answer has. */
const headerNames = (answers: readonly ExportedAnswer[]): string[] =>
  [...new Set(answers.flatMap(({ headers }) => Object.keys(headers)))].sort();

type Row = readonly string[];

/** A `map` of nginx; later regular expressions are tried after earlier ones. */
const map = (source: string, variable: string, rows: readonly Row[], otherwise = ''): string => {
  const seen = new Map<string, Row>();
  for (const row of rows) {
    const folded = row[0]!.startsWith('~') ? row[0]! : row[0]!.toLowerCase();
    const before = seen.get(folded);
    if (before && before[1] !== row[1])
      throw new CommandRejected(`nginx cannot tell ${before[0]} and ${row[0]} apart.`);
    seen.set(folded, row);
  }
  return [
    `map ${source} ${variable} {`,
    `  default ${value(otherwise)};`,
    ...[...seen.values()].map(([key, to]) => `  ${quoted(key!)} ${value(to!)};`),
    '}',
  ].join('\n');
};

/** Values of ours that are quoted already begin with a quotation mark. */
const value = (text: string): string => (text.startsWith('"') ? text : quoted(text));

/** A text as nginx reads it between quotation marks; variables in it are ours. */
const quoted = (text: string): string => {
  if (/[\n\r\0]/.test(text)) throw new CommandRejected(`nginx takes no line break: ${JSON.stringify(text)}`);
  return `"${text.replace(/\\(?=["\\])|"/g, '\\$&')}"`;
};

/** A text from the data, in which nginx must find no variable: it has no way to write a dollar sign. */
const literal = (text: string): string => {
  if (text.includes('$')) throw new CommandRejected(`nginx takes no dollar sign: ${text}`);
  return text;
};

/** Parameters whose value does not matter. */
const FLAGS: readonly string[] = ['json', 'serialize'];

/** A parameter as the key has it: `&name=value`; with an exclamation mark when it comes twice. */
const parameterMap = (name: string): string =>
  map('$args', `$release_web_q_${name}`, [
    [`~(?:^|&)${name}(?:=[^&]*)?&(?:[^&]*&)*${name}(?:=|&|$)`, '!'],
    FLAGS.includes(name)
      ? [`~(?:^|&)${name}(?:=|&|$)`, `&${name}`]
      : [`~(?:^|&)${name}(?<release_web_v_${name}>=[^&]*)?(?:&|$)`, `&${name}$release_web_v_${name}`],
  ]);

const keyOf = (
  { request: { path, query } }: ExportedAnswer,
  parametersOf: ReadonlyMap<string, readonly string[]>,
): string => {
  const parameters = parametersOf.get(path) ?? [];
  const given = query.split('&');
  const ordered = parameters.flatMap((name) => given.filter((one) => one.split('=')[0] === name));
  return literal([path, ...ordered].join('&'));
};

/** The name below the folder of the site. */
const nameOf = ({ file }: ExportedAnswer): string => literal(file.slice(SITE_FOLDER.length + 1));

const headerVariable = (name: string): string => `$release_web_h_${name.replaceAll('-', '_')}`;

/** An element of a list in a header. */
const listed = (what: string, before = ''): string => `(?:^|[,${before}])\\s*${what}\\s*`;
const ZERO = ';\\s*q=0(?:\\.0*)?\\s*(?:,|$)';
const NOT_ZERO = '(?:;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$))[^,]*)?(?:,|$)';

/** `_headers` for hosts of static sites: what each path is sent with. */
export const headersFile = ({ answers }: Rendering): string =>
  answers
    .filter(({ request }) => request.query === '')
    .flatMap(({ request, headers }) => [
      request.path,
      ...Object.entries(headers)
        // The host negotiates codings itself.
        .filter(([name]) => name !== 'vary')
        .map(([name, value]) => `  ${name}: ${value}`),
    ])
    .concat('')
    .join('\n');

/** `_redirects` for the same hosts, which keep the query themselves. */
export const redirectsFile = ({ redirects }: Rendering): string =>
  redirects
    .map(({ path, location, status }) => `${path} ${location} ${status}`)
    .concat('')
    .join('\n');
