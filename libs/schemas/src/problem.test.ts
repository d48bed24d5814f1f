import { Value } from '@sinclair/typebox/value';
import { healthHttpStatus, Problem, problemType, Sha256 } from './index.ts';

describe('shared schemas', () => {
  it('accepts a problem with further members', () => {
    const problem = { type: problemType('queue-full'), title: 'x', status: 503, outcome: 'not-published' };
    expect(problem.type).toBe('urn:problem-type:queue-full');
    expect(Value.Check(Problem, problem)).toBe(true);
  });

  it('rejects a problem whose status is not an error', () => {
    expect(Value.Check(Problem, { type: 'x', title: 'x', status: 200 })).toBe(false);
  });

  it('maps health to HTTP', () => {
    expect(healthHttpStatus('pass')).toBe(200);
    expect(healthHttpStatus('warn')).toBe(200);
    expect(healthHttpStatus('fail')).toBe(503);
  });

  it('rejects a truncated digest', () => {
    expect(Value.Check(Sha256, 'a'.repeat(64))).toBe(true);
    expect(Value.Check(Sha256, 'a'.repeat(63))).toBe(false);
  });
});
