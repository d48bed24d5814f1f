import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { XMLParser } from 'fast-xml-parser';
import { parse } from 'yaml';
import { withoutControls } from '@workspace/service-kit';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { createGeoHeaders } from '../src/features/access-rules/geo-headers.ts';
import { ALL_FIELDS } from '../src/http/lookup/fields.ts';
import { csv } from '../src/http/lookup/formats/csv.ts';
import { isCallback, jsonp } from '../src/http/lookup/formats/jsonp.ts';
import { xml } from '../src/http/lookup/formats/xml.ts';
import { yaml } from '../src/http/lookup/formats/yaml.ts';

const FORMATS = 'apps/ip-locate/src/http/lookup/formats';
const geoHeaders = createGeoHeaders(ALL_FIELDS);
const parser = new XMLParser({ htmlEntities: true, trimValues: false, parseTagValue: false });

/** An input is a city and, on the second line, a postal code or the name of a callback. */
export const formats: FuzzTarget = {
  name: 'formats',
  property:
    'a record reads back from YAML, XML, CSV, JSONP and headers as it was, and is no formula to a spreadsheet',
  seeds: ['München\n80331', "O'Higgins & Sons, Inc.\nshow", '=cmd|"x"\na.b', 'line\u2028separator\n0123'],
  dictionary: [
    '\u0085',
    '\u2029',
    '\ufeff',
    ']]>',
    '&#0;',
    '</city>',
    '%0d',
    '": ',
    '@',
    '+',
    '-',
    '\t',
    '*/',
    '\\u',
  ],
  mostBytes: 100,
  planted: [
    { file: `${FORMATS}/yaml.ts`, from: 'JSON.stringify(value).replace', to: '`"${value}"`.replace' },
    { file: `${FORMATS}/csv.ts`, from: '/[",\\r\\n]/', to: '/[",\\n]/' },
    { file: `${FORMATS}/csv.ts`, from: '/^[=+\\-@\\t\\r]/', to: '/^[=+\\-\\t\\r]/' },
    { file: `${FORMATS}/jsonp.ts`, from: '[\\w$.]{0,63}', to: '.{0,63}' },
    {
      file: 'apps/ip-locate/src/features/access-rules/geo-headers.ts',
      from: '\\x26-\\x7e',
      to: '\\x25-\\x7e',
    },
  ],
  check: (input) => {
    const [city = '', postal = ''] = input.toString().split('\n');
    const record = { city, postal, latitude: -1.5, region: null };
    for (const version of ['1.1', '1.2'] as const) assert.deepEqual(parse(yaml(record), { version }), record);

    const { root } = parser.parse(xml(record)) as { root: Record<string, string> };
    const lines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
    assert.equal(lines(root['city'] ?? ''), lines(withoutControls(city)));

    const row = csv(record).split('\n').slice(1).join('\n');
    const isFormula = /^[=+\-@\t\r]/.test(city) && !/^[+-][\d.,-]+$/.test(city);
    const cell = (isFormula ? `'${city}` : city).replaceAll('"', '""');
    assert(row.startsWith(/[",\r]/.test(cell) ? `"${cell}",` : `${cell},`));

    const headers = geoHeaders(record);
    assert.match(headers['x-geo-city']!, /^[\x20-\x7e]*$/);
    assert.equal(decodeURIComponent(headers['x-geo-city']!), city);

    if (!isCallback(postal)) return;
    assert.match(postal, /^[\w$.]+$/);
    const calls: unknown[] = [];
    const path = postal.split('.');
    // A script can only call what the page has: the names are made so that the call ends somewhere.
    if (path.some((name) => !/^[A-Za-z_$][\w$]*$/.test(name))) return;
    const page: Record<string, unknown> = {};
    path.reduce<Record<string, unknown>>((place, name, at) => {
      const next = at === path.length - 1 ? (value: unknown) => void calls.push(value) : {};
      return (place[name] = next) as Record<string, unknown>;
    }, page);
    try {
      runInNewContext(jsonp(JSON.stringify(record), postal), page);
    } catch {
      // A reserved word, such as `if`.
      assert.equal(calls.length, 0);
      return;
    }
    assert.deepEqual(JSON.parse(JSON.stringify(calls)), [record]);
  },
};
