import type { FastifyRequest } from 'fastify';
import { ProblemError } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';
import { RecentProblems } from './recent-problems.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const request = { id: 'one', routeOptions: { url: '/operations' } } as FastifyRequest;
const latestOf = (count: number, pointer: string, detail = 'is no member of an operation') => {
  const recent = new RecentProblems(() => NOW);
  const errors = Array.from({ length: count }, () => ({ pointer, code: 'unknown-member', detail }));
  recent.record(new ProblemError(problems['invalid-submission'], { errors }), request);
  return recent.latest()[0]!;
};

describe('the latest problems', () => {
  it('keep what is wrong', () => {
    expect(latestOf(1, '#/0/price')).toMatchObject({
      at: NOW.toISOString(),
      requestId: 'one',
      status: 422,
      details: ['#/0/price is no member of an operation'],
    });
  });

  it('keep little of a name of a megabyte, and of a thousand violations', () => {
    const { details } = latestOf(1_000, `#/0/${'x'.repeat(1_000_000)}`);
    expect(details).toHaveLength(21);
    expect(details[0]).toMatch(/^#\/0\/x{495}…$/);
    expect(details.at(-1)).toBe('and 980 more');
    expect(latestOf(1, `#/0/${'x'.repeat(495)}`, '').details[0]).toMatch(/ $/);
  });
});
