import type { FastifyRequest } from 'fastify';
import { captureLogger } from '@workspace/testing';
import { defineProblems, ProblemError } from './problem-error.ts';
import { createProblemLog } from './problem-log.ts';

const types = defineProblems({
  unavailable: { status: 503, title: 'Unavailable' },
  limited: { status: 429, title: 'Limited' },
  wrong: { status: 422, title: 'Wrong' },
  missing: { status: 404, title: 'Missing' },
  broken: { status: 500, title: 'Broken' },
});

const underTest = () => {
  const { logger, lines } = captureLogger();
  const log = createProblemLog(logger);
  return {
    log,
    report: (code: keyof typeof types, { times = 1, cause = undefined as unknown, reqId = '' } = {}) => {
      const request = { log: logger.child({ reqId }), method: 'GET', routeOptions: { url: '/' } };
      for (let time = 0; time < times; time += 1) {
        log.report(new ProblemError(types[code], { cause }), request as unknown as FastifyRequest);
      }
    },
    messages: () => lines.map(({ msg }) => msg),
    logged: () => lines.map(({ level, code, leftOut }) => [level, code, leftOut]),
    lines,
  };
};

describe('the log of problems', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('logs at the level of the responsible side, and blames no dependency', () => {
    const { report, logged, messages } = underTest();
    for (const code of ['unavailable', 'wrong', 'broken'] as const) report(code);
    expect(logged()).toEqual([
      ['warn', 'unavailable', undefined],
      ['info', 'wrong', undefined],
      ['error', 'broken', undefined],
    ]);
    expect(messages()).toEqual(['request not served', 'request rejected', 'request failed']);
  });

  it.each(['unavailable', 'limited', 'wrong', 'missing'] as const)(
    'logs the first of many %s problems at once, then one at a time with the number of those left out',
    (code) => {
      const { report, logged, lines } = underTest();
      report(code, { times: 1_000 });
      expect(logged()).toHaveLength(1);
      report(code, { reqId: 'the last one' });
      jest.advanceTimersByTime(1_000);
      expect(logged().map(([, , leftOut]) => leftOut)).toEqual([undefined, 999]);
      expect(lines[1]).toMatchObject({ code, method: 'GET', route: '/', reqId: 'the last one' });
    },
  );

  it('logs each code by itself', () => {
    const { report, logged } = underTest();
    report('missing', { times: 9_999 });
    report('wrong');
    expect(logged().map(([, code]) => code)).toEqual(['missing', 'wrong']);
  });

  it('writes a flood ever more rarely, down to a line a minute, and counts every problem', () => {
    const { report, lines } = underTest();
    for (let second = 0; second < 3_600; second += 1) {
      report('missing', { times: 10 });
      jest.advanceTimersByTime(1_000);
    }
    jest.advanceTimersByTime(60_000);
    expect(lines.length).toBeLessThan(3_600 / 60 + 10);
    const leftOut = lines.reduce((sum, line) => sum + Number(line['leftOut'] ?? 0), 0);
    expect(lines.length + leftOut).toBe(36_000);
  });

  it('logs at once again when a flood is over', () => {
    const { report, logged } = underTest();
    report('missing', { times: 100 });
    jest.advanceTimersByTime(10_000);
    report('missing');
    expect(logged().map(([, , leftOut]) => leftOut)).toEqual([undefined, 98, undefined]);
  });

  it('logs what it left out when the service stops', () => {
    const { log, report, logged } = underTest();
    report('missing', { times: 5 });
    log.flush();
    expect(logged().map(([, , leftOut]) => leftOut)).toEqual([undefined, 3]);
    jest.advanceTimersByTime(60_000);
    expect(logged()).toHaveLength(2);
  });

  it('distinguishes failures by their place', () => {
    const { report, lines } = underTest();
    const one = () => new TypeError('one');
    const other = () => new TypeError('other');
    for (let time = 0; time < 50; time += 1)
      for (const fail of [one, other]) report('broken', { cause: fail() });
    expect(lines.map(({ err }) => (err as Error).message)).toEqual(['one', 'other']);
    report('broken', { cause: 'not an error' });
    expect(lines).toHaveLength(3);
  });

  it('counts requests that are not HTTP with all others of their code', () => {
    const { log, report, lines } = underTest();
    report('wrong');
    for (let time = 0; time < 100; time += 1) log.unreadable(types.wrong, 'HPE_INVALID_METHOD');
    jest.advanceTimersByTime(1_000);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({ code: 'wrong', reason: 'HPE_INVALID_METHOD', leftOut: 99 });
  });
});
