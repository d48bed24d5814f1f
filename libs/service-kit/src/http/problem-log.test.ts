import type { FastifyRequest } from 'fastify';
import { defineProblems, ProblemError } from './problem-error.ts';
import { createProblemLog } from './problem-log.ts';
import { captureLogger } from '../testing/index.ts';

const kinds = defineProblems({
  away: { status: 503, title: 'Away' },
  full: { status: 503, title: 'Full' },
  wrong: { status: 422, title: 'Wrong' },
  broken: { status: 500, title: 'Broken' },
});

const underTest = () => {
  const { logger, lines } = captureLogger();
  let time = 0;
  const log = createProblemLog(() => time);
  const request = { log: logger, method: 'GET', routeOptions: { url: '/' } } as unknown as FastifyRequest;
  return {
    refuse: (code: keyof typeof kinds, at = time) => {
      time = at;
      log(new ProblemError(kinds[code]), request);
    },
    messages: () => lines.map(({ msg }) => msg),
    said: () => lines.map(({ level, code, leftOut }) => [level, code, leftOut]),
  };
};

describe('the log of problems', () => {
  it('has the level of whoever is responsible, and names no dependency that is not known to be one', () => {
    const { refuse, said, messages } = underTest();
    for (const code of ['away', 'wrong', 'broken'] as const) refuse(code);
    expect(said()).toEqual([
      ['warn', 'away', undefined],
      ['info', 'wrong', undefined],
      ['error', 'broken', undefined],
    ]);
    expect(messages()).toEqual(['request not served', 'request rejected', 'request failed']);
  });

  it('says once a second and code what an outage says a thousand times, and counts the rest', () => {
    const { refuse, said } = underTest();
    for (let at = 0; at < 1_000; at += 1) refuse('away', at);
    refuse('full');
    refuse('away', 1_000);
    refuse('away', 5_000);
    expect(said()).toEqual([
      ['warn', 'away', undefined],
      ['warn', 'full', undefined],
      ['warn', 'away', 999],
      ['warn', 'away', undefined],
    ]);
  });

  it('leaves out nothing that is ours, nor what single requests did wrong', () => {
    const { refuse, said } = underTest();
    for (const code of ['broken', 'broken', 'wrong', 'wrong'] as const) refuse(code);
    expect(said()).toHaveLength(4);
  });
});
