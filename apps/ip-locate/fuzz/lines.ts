import assert from 'node:assert/strict';
import { createIsTrustedProxy, createClientAddress } from '@workspace/service-kit/client-address';
import { parseAddress } from '@workspace/ip-addresses';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { createLocate, FULL } from '../src/application/locate.ts';
import { cellsOf } from '../src/domain/csv-row.ts';
import { reservedRange } from '../src/domain/special-ranges.ts';
import { enrichedLines, lineWriter } from '../src/http/lookup/lines/enriched-lines.ts';
import type { InputFormat, OutputFormat } from '../src/http/lookup/lines/line-writer.ts';
import { Lookup } from '../src/http/lookup/lookup.ts';
import { fixed, openCity } from '../test/app.ts';
import { NOW } from '../test/databases.ts';

const LINES = 'apps/ip-locate/src/http/lookup/lines/enriched-lines.ts';
const CSV = 'apps/ip-locate/src/http/lookup/lines/csv-lines.ts';
const ROWS = 'apps/ip-locate/src/domain/csv-row.ts';
const TRUST_PROXY = '';
const lookup = openCity().then(
  (city) =>
    new Lookup({
      locate: createLocate({ locations: fixed(city) }),
      clientAddressOf: createClientAddress({ TRUST_PROXY }),
      isTrustedProxy: createIsTrustedProxy({ TRUST_PROXY }),
    }),
);
const FIELDS = ['ip', 'city', 'country'] as const;
const ADDED = FIELDS.length - 1;

/** The cells of a row by RFC 4180, read character by character; undefined for a row that does not follow it. */
export const referenceCells = (row: string): string[] | undefined => {
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    let cell = '';
    if (row[at] === '"') {
      for (at += 1; row[at] !== '"' || row[at + 1] === '"'; at += 1) {
        if (at >= row.length) return undefined;
        if (row[at] === '"') at += 1;
        cell += row[at];
      }
      at += 1;
    } else for (; at < row.length && row[at] !== ','; at += 1) cell += row[at];
    if (at < row.length && row[at] !== ',') return undefined;
    // A quote in the middle of a cell without quotes.
    if (cell.includes('"') && !row.includes('""')) return undefined;
    cells.push(cell);
    if (at >= row.length) return cells;
  }
};

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield Uint8Array.from(bytes.subarray(at, at + size));
}

/** What comes out, with the body in pieces of so many bytes. */
const enriched = async (bytes: Buffer, size: number, input: InputFormat, output: OutputFormat) => {
  const found = await lookup;
  const writer = lineWriter({
    input,
    output,
    fields: FIELDS,
    lookUp: (text) => found.address(text, 'en', NOW, FULL),
  });
  let text = '';
  for await (const written of enrichedLines(inPieces(bytes, size), { writer })) text += written;
  return { text, errors: writer.errors };
};

const isLocatable = (text: string): boolean => {
  const address = parseAddress(text);
  return address !== undefined && reservedRange(address) === undefined;
};

const checkNdjson = (text: string, lines: readonly string[], errors: number): void => {
  const answers = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { error?: unknown; ip?: unknown });
  assert.equal(answers.length, lines.length);
  assert(answers.filter(({ error }) => error === true).length >= errors);
};

const checkCsv = (text: string, lines: readonly string[], input: InputFormat): void => {
  const rows = text.split('\r\n').slice(0, -1);
  const [first, ...others] = lines.map((line) => (input === 'csv' ? referenceCells(line) : undefined));
  // Other delimiters have a table of examples.
  if (!first || input !== 'csv' || /[;\t]/.test(lines[0] ?? '')) return;
  const isHeader = rows.length === lines.length;
  assert.equal(rows.length, lines.length + (isHeader ? 0 : 1));
  if (isHeader && first.some((cell) => parseAddress(cell.trim())))
    assert(first.some((cell) => cell.trim().toLowerCase() === 'ip'));
  const column = isHeader
    ? Math.max(
        0,
        first.findIndex((cell) => cell.trim().toLowerCase() === 'ip'),
      )
    : 0;
  const answers = rows.slice(1);
  for (const [at, cells] of (isHeader ? others : [first, ...others]).entries()) {
    const answer = referenceCells(answers[at]!);
    if (!answer) continue;
    assert.equal(answer.length, first.length + ADDED + 1);
    if (!cells || cells.slice(first.length).some((cell) => cell !== '')) continue;
    const fitted: string[] = first.map((_, place) => cells[place] ?? '');
    assert.deepEqual(answer.slice(0, first.length), fitted);
    // The last cell says why there is no location.
    assert.equal(answer.at(-1) === '', isLocatable((fitted[column] ?? '').trim()), lines[at + 1]);
  }
};

/** An input is the format in, the format out, and the body. */
export const lines: FuzzTarget = {
  name: 'lines',
  property:
    'each line gets its answer, however the stream is cut, and a row keeps its cells and is located by the column ip',
  seeds: [
    'csv csv\nip,user\r\n80.1.2.3,7\r\n10.0.0.1,"a ""b"""\r\n',
    'csv csv\nuser,ip\n"x,y",81.7.7.7\n\n',
    'csv csv\n80.1.2.3,first\n81.1.1.1,second',
    'ndjson ndjson\n"80.1.2.3"\n{"ip":"81.1.1.1","user":"é"}\nnonsense\n{"ip":7}\n',
    'ndjson csv\n"80.1.2.3"\n{"ip":"81.1.1.1"}\n[]\n',
    'text ndjson\n80.1.2.3\n 81.1.1.1 \r\n::1',
  ],
  dictionary: [
    '\r\n',
    '\n\n',
    '""',
    '",',
    ',"',
    ',,',
    'IP',
    '{"ip":',
    '"__proto__":',
    '80.1.2.3,',
    '\u2028',
    '\ufeff',
    '=1+1',
  ],
  branchesPerByte: 500,
  planted: [
    { file: LINES, from: 'this.#isSkipping || this.#rest.length + text.length <= MAX_LINE', to: 'true' },
    { file: LINES, from: 'new TextDecoder()', to: '{ decode: (bytes) => Buffer.from(bytes).toString() }' },
    { file: CSV, from: "cell.trim().toLowerCase() === 'ip'", to: "cell === 'ip'" },
    { file: CSV, from: 'cellsOf(row, this.#delimiter)', to: 'row.split(this.#delimiter)' },
    { file: CSV, from: 'cells.length === this.#columns', to: 'true' },
  ],
  check: async (input) => {
    const end = input.indexOf('\n');
    const [given = '', wanted = ''] = input.subarray(0, Math.max(end, 0)).toString('latin1').split(' ');
    const body = input.subarray(end + 1);
    const from = (['csv', 'ndjson', 'text'] as const).find((format) => format === given) ?? 'csv';
    const to = (['csv', 'ndjson'] as const).find((format) => format === wanted) ?? 'csv';
    const { text, errors } = await enriched(body, body.length || 1, from, to);
    for (const size of [1, 7]) assert.deepEqual(await enriched(body, size, from, to), { text, errors });
    const some = new TextDecoder()
      .decode(body)
      .split(/\r\n?|\n/)
      .filter((line) => line.trim() !== '');
    if (to === 'ndjson') checkNdjson(text, some, errors);
    else checkCsv(text, some, from);
  },
};

export const cells: FuzzTarget = {
  name: 'cells',
  property: 'a row has the cells that RFC 4180 gives it',
  seeds: ['ip,user', '"a ""b""",c', '80.1.2.3', 'a,,b'],
  dictionary: ['""', '","', ',,', '"a"'],
  mostBytes: 64,
  planted: [
    { file: ROWS, from: "quoted?.replaceAll('\"\"', '\"')", to: 'quoted' },
    { file: ROWS, from: '(?:[^"]|"")*', to: '[^"]*' },
  ],
  check: (input) => {
    const row = input.toString().replace(/[\r\n]/g, '');
    const expected = referenceCells(row);
    if (expected) assert.deepEqual(cellsOf(row), expected);
  },
};
