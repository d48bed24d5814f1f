import { parseRecord } from './consume.ts';

const printed = (...fields: string[]): string => fields.join('\u001f');

describe('parseRecord', () => {
  it('reads key, headers with colons, and a value with any JSON whitespace', () => {
    const text = printed('Partition:2', 'Offset:41', 'ce_time:12:30\u001dce_id:a', 'k', '[\n\t{"a":1.00}]');
    expect(parseRecord(text)).toEqual({
      partition: 2,
      offset: 41,
      key: 'k',
      headers: { ce_time: '12:30', ce_id: 'a' },
      value: '[\n\t{"a":1.00}]',
    });
  });

  it('knows a record without key and headers', () => {
    expect(parseRecord(printed('Partition:0', 'Offset:0', 'NO_HEADERS', '\u001c', 'v'))).toMatchObject({
      key: null,
      headers: {},
    });
  });
});
