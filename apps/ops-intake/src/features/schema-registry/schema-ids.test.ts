import { append } from '../../../test/append.ts';
import { createInMemoryLog } from '../../../test/in-memory-log.ts';
import { withoutFrame } from '../../domain/schema-frame.ts';
import { addSchemaIds } from './schema-ids.ts';

const VALUE = Buffer.from('[{"operation":"buy","unit-cost":10.00,"quantity":100}]');
const RECORD = {
  key: 'k',
  value: VALUE,
  headers: { ce_id: 'k', ce_type: Buffer.from('operations.submitted.v1') },
  timestamp: 7,
};
const ids = new Map([
  ['operations.submitted.v1', 4_294_967_295],
  ['orders.submitted.v1', 258],
]);

describe('the ids of schemas', () => {
  it('are in a header, and the value is as it was', async () => {
    const log = createInMemoryLog();
    const appended = jest.spyOn(log, 'append');
    await append(addSchemaIds(log, { ids, framing: false }), RECORD);
    expect(log.records).toEqual([{ ...RECORD, headers: { ...RECORD.headers, ce_schemaid: '4294967295' } }]);
    expect(appended.mock.calls[0]![0].value).toBe(VALUE);
    expect(withoutFrame(VALUE)).toBe(VALUE);
  });

  it('are in front of the value with framing, which can be taken off', async () => {
    const log = createInMemoryLog();
    const order = { ...RECORD, headers: { ce_id: 'k', ce_type: 'orders.submitted.v1' } };
    await append(addSchemaIds(log, { ids, framing: true }), order);
    const [{ value, headers } = { value: Buffer.alloc(0), headers: {} }] = log.records;
    expect([...value.subarray(0, 5)]).toEqual([0, 0, 0, 1, 2]);
    expect(headers).toMatchObject({ ce_schemaid: '258' });
    expect(withoutFrame(value).equals(VALUE)).toBe(true);
    expect(order.value).toBe(VALUE);
  });
});
