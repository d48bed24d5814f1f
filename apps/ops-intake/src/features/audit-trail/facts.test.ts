import { digestOf } from '../../domain/digest.ts';
import { AUDIT_FACTS, microsecondTime, parseAuditTrail } from './facts.ts';

describe('the audit trail', () => {
  it('is a list of facts', () => {
    expect(parseAuditTrail()).toEqual({ facts: new Set(), invalid: [] });
    expect(parseAuditTrail(' digest, time')).toEqual({ facts: new Set(['time', 'digest']), invalid: [] });
    expect(parseAuditTrail(AUDIT_FACTS.join())).toEqual({ facts: new Set(AUDIT_FACTS), invalid: [] });
    expect(parseAuditTrail('time,,Digest')).toEqual({ facts: new Set(['time']), invalid: [2, 3] });
  });

  it('has digests as sha256sum prints them', () => {
    expect(digestOf(Buffer.from('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('has times in microseconds', () => {
    const ms = Date.UTC(2026, 10, 24, 3, 0, 0, 7);
    expect(microsecondTime(ms * 1_000)).toBe('2026-11-24T03:00:00.007000Z');
    expect(microsecondTime(ms * 1_000 + 12)).toBe('2026-11-24T03:00:00.007012Z');
    expect(microsecondTime(ms * 1_000 + 999)).toBe('2026-11-24T03:00:00.007999Z');
  });
});
