import type { FastifyRequest } from 'fastify';
import { defineProblems, ProblemError } from './problem-error.ts';
import { createProblemLog } from './problem-log.ts';
import { captureLogger } from '../../testing/index.ts';

const kinds = defineProblems({
  unavailable: { status: 503, title: 'Unavailable' },
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
    report: (code: keyof typeof kinds, at = time) => {
      time = at;
      log(new ProblemError(kinds[code]), request);
    },
    messages: () => lines.map(({ msg }) => msg),
    logged: () => lines.map(({ level, code, leftOut }) => [level, code, leftOut]),
  };
};

describe('the log of problems', () => {
  it('logs at the level of whoever is responsible, and blames no dependency', () => {
    const { report, logged, messages } = underTest();
    for (const code of ['unavailable', 'wrong', 'broken'] as const) report(code);
    expect(logged()).toEqual([
      ['warn', 'unavailable', undefined],
      ['info', 'wrong', undefined],
      ['error', 'broken', undefined],
    ]);
    expect(messages()).toEqual(['request not served', 'request rejected', 'request failed']);
  });

  it('logs each code of an outage once a second, with the number of lines left out', () => {
    const { report, logged } = underTest();
    for (let at = 0; at < 1_000; at += 1) report('unavailable', at);
    report('full');
    report('unavailable', 1_000);
    report('unavailable', 5_000);
    expect(logged()).toEqual([
      ['warn', 'unavailable', undefined],
      ['warn', 'full', undefined],
      ['warn', 'unavailable', 999],
      ['warn', 'unavailable', undefined],
    ]);
  });

  it('leaves out neither internal failures nor errors of single requests', () => {
    const { report, logged } = underTest();
    for (const code of ['broken', 'broken', 'wrong', 'wrong'] as const) report(code);
    expect(logged()).toHaveLength(4);
  });
});
